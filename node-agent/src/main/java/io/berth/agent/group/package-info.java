/// Groups of processes: what limits a run's part on a node, counts what it uses and ends all of it.
@NullMarked
package io.berth.agent.group;

import org.jspecify.annotations.NullMarked;
