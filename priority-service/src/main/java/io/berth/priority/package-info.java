/// The priority service: ranks jobs and publishes everybody's fair share.
@NullMarked
package io.berth.priority;

import org.jspecify.annotations.NullMarked;
