@NullMarked
package io.berth.core.fairshare;

import org.jspecify.annotations.NullMarked;
