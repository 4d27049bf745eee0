/// Mail about jobs, to users who asked for it.
@NullMarked
package io.berth.submit.mail;

import org.jspecify.annotations.NullMarked;
