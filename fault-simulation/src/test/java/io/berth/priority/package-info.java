/// Priority as a service, for simulations.
package io.berth.priority;
