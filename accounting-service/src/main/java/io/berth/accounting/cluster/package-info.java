/// The cluster file: read, checked, and published as a revision of the configuration.
@NullMarked
package io.berth.accounting.cluster;

import org.jspecify.annotations.NullMarked;
