/// The agent of a node as a service, for simulations, and the machine that it is on.
package io.berth.agent;
