/// Tests of the commands against a gateway of canned answers.
@NullMarked
package io.berth.cli;

import org.jspecify.annotations.NullMarked;
