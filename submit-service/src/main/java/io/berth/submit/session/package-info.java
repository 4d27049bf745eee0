/// The meeting of an interactive run's two ends: the terminal of its user, and the job.
@NullMarked
package io.berth.submit.session;

import org.jspecify.annotations.NullMarked;
