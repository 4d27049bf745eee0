/// The public events of jobs, for clients that follow them as they come.
@NullMarked
package io.berth.submit.feed;

import org.jspecify.annotations.NullMarked;
