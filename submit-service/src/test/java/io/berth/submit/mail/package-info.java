/// Tests of mail about jobs.
@NullMarked
package io.berth.submit.mail;

import org.jspecify.annotations.NullMarked;
