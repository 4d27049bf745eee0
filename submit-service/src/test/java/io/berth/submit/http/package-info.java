@NullMarked
package io.berth.submit.http;

import org.jspecify.annotations.NullMarked;
