/// The whole mesh on one machine: an embedded broker and database, the services and an agent as
/// processes of their own, and what keeps them running.
@NullMarked
package io.berth.standalone;

import org.jspecify.annotations.NullMarked;
