/// Events as JSON values with CloudEvents headers.
@NullMarked
package io.berth.contracts.json;

import org.jspecify.annotations.NullMarked;
