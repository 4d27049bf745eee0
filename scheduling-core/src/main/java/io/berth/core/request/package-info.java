/// What a job's own terms and constraints allow: when it may start, and on which nodes.
@NullMarked
package io.berth.core.request;

import org.jspecify.annotations.NullMarked;
