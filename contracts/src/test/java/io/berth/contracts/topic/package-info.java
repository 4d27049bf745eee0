@NullMarked
package io.berth.contracts.topic;

import org.jspecify.annotations.NullMarked;
