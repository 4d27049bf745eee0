/// What the demo tells and checks.
@NullMarked
package io.berth.standalone.demo;

import org.jspecify.annotations.NullMarked;
