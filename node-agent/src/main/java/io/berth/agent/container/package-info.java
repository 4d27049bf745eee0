/// Scripts in containers: the runtimes that a host may have, and what they are told. Nothing here
/// reads a user's files.
@NullMarked
package io.berth.agent.container;

import org.jspecify.annotations.NullMarked;
