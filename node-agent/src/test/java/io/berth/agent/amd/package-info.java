/// Tests against trees of files such as the driver's.
@NullMarked
package io.berth.agent.amd;

import org.jspecify.annotations.NullMarked;
