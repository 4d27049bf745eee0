/// Job traces, node lists and orders of arrival, read from files.
@NullMarked
package io.berth.simulator.trace;

import org.jspecify.annotations.NullMarked;
