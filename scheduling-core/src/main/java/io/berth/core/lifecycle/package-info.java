/// The decisions on what comes in: submissions, reports, registrations, silence and deadlines.
@NullMarked
package io.berth.core.lifecycle;

import org.jspecify.annotations.NullMarked;
