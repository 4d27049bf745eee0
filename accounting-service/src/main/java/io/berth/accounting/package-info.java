/// Accounting: the books of jobs and usage, and the cluster's configuration.
@NullMarked
package io.berth.accounting;

import org.jspecify.annotations.NullMarked;
