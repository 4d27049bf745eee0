/// The gateway's HTTP API and the shapes of its JSON.
@NullMarked
package io.berth.submit.http;

import org.jspecify.annotations.NullMarked;
