/// What would become of jobs: the decisions themselves, on a copy of the cell, in virtual time.
@NullMarked
package io.berth.core.forecast;

import org.jspecify.annotations.NullMarked;
