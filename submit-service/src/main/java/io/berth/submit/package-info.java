/// The gateway: admits jobs, writes them to the log, and answers questions from its own picture of
/// the log.
@NullMarked
package io.berth.submit;

import org.jspecify.annotations.NullMarked;
