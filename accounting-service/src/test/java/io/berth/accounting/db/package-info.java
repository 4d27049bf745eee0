@NullMarked
package io.berth.accounting.db;

import org.jspecify.annotations.NullMarked;
