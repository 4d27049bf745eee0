/// What is shipped besides the code: images, the compose file, the Kubernetes base.
@NullMarked
package io.berth.standalone.ship;

import org.jspecify.annotations.NullMarked;
