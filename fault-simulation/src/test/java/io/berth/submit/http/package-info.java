/// The gateway as a service, for simulations.
package io.berth.submit.http;
