/// The books in PostgreSQL: their rows, how an event changes them, and the transactions that do it.
@NullMarked
package io.berth.accounting.db;

import org.jspecify.annotations.NullMarked;
