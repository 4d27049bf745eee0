@NullMarked
package io.berth.contracts.config;

import org.jspecify.annotations.NullMarked;
