@NullMarked
package io.berth.accounting;

import org.jspecify.annotations.NullMarked;
