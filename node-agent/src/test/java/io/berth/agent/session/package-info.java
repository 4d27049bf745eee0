/// Tests of the job's end of an interactive run.
@NullMarked
package io.berth.agent.session;

import org.jspecify.annotations.NullMarked;
