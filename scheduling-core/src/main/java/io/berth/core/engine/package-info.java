/// The scheduling engine over plain integers: nodes as indices, requests as fit classes, time as
/// step functions. It knows no events and no names.
@NullMarked
package io.berth.core.engine;

import org.jspecify.annotations.NullMarked;
