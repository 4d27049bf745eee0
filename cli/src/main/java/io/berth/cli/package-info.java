/// The commands: Slurm's by their names, and Berth's own. Plain Java over the gateway's HTTP.
@NullMarked
package io.berth.cli;

import org.jspecify.annotations.NullMarked;
