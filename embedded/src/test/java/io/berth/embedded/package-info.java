/// Tests of the embedded servers.
@NullMarked
package io.berth.embedded;

import org.jspecify.annotations.NullMarked;
