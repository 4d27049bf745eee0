/// The node agent: one in each process, for one node or several. It registers them, obeys the
/// orders of placement and keeps the runs on them.
@NullMarked
package io.berth.agent;

import org.jspecify.annotations.NullMarked;
