@NullMarked
package io.berth.contracts.json;

import org.jspecify.annotations.NullMarked;
