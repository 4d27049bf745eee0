/// The cluster's configuration, published record by record and applied whole.
@NullMarked
package io.berth.contracts.config;

import org.jspecify.annotations.NullMarked;
