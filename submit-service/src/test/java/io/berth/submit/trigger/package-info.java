/// Tests of triggers.
@NullMarked
package io.berth.submit.trigger;

import org.jspecify.annotations.NullMarked;
