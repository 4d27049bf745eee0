/// The language of an interactive run: what its two ends send one another through the gateway.
@NullMarked
package io.berth.slurm.session;

import org.jspecify.annotations.NullMarked;
