/// Tests of mail about jobs.
@NullMarked
package io.berth.submit.restd;

import org.jspecify.annotations.NullMarked;
