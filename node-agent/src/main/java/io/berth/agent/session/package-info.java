/// The job's end of an interactive run: a program of its own, run by the job.
@NullMarked
package io.berth.agent.session;

import org.jspecify.annotations.NullMarked;
