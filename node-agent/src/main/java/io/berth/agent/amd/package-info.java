/// What the driver of AMD's GPUs tells in files. No library is asked.
@NullMarked
package io.berth.agent.amd;

import org.jspecify.annotations.NullMarked;
