@NullMarked
package io.berth.accounting.cluster;

import org.jspecify.annotations.NullMarked;
