/// From a job's specification to a running task: its files in the spool, its environment, its shim.
@NullMarked
package io.berth.agent.launch;

import org.jspecify.annotations.NullMarked;
