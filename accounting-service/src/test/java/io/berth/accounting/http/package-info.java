@NullMarked
package io.berth.accounting.http;

import org.jspecify.annotations.NullMarked;
