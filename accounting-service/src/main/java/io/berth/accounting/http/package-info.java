/// What accounting answers over HTTP.
@NullMarked
package io.berth.accounting.http;

import org.jspecify.annotations.NullMarked;
