package io.berth.accounting.cluster;

import java.util.List;
import java.util.Optional;

/// The revisions of the configuration that were ever made. They are its truth; the config topic is
/// told of them afterwards.
public interface Revisions {

    /// Somebody else made a revision meanwhile: nothing was changed.
    final class Overtaken extends Exception {
        public Overtaken(long after) {
            super("revision " + after + " is not the latest any more");
        }
    }

    /// A revision without what it says: an old one may break a rule that came later.
    record Line(long revision, String author, long changedAt, boolean published) {}

    /// The newest revisions, the newest first.
    List<Line> newest(int limit);

    Optional<Revision> latest();

    /// Whether there is one above that number, or one that the config topic may not have. This is
    /// asked every few seconds.
    boolean untold(long told);

    /// The SHA-256 of the file that was applied last, if any was.
    Optional<String> lastFile();

    /// Notes that the file with this SHA-256 was applied: it says what that revision does.
    void applied(long number, String fileSha256);

    /// Adds a revision above all others.
    ///
    /// @param after the latest one that its author has seen; 0 is none
    /// @throws Overtaken if another one is the latest
    void add(long after, Revision revision) throws Overtaken;

    /// Notes that the config topic has this revision and all before it.
    void published(long number);

    /// How many jobs that have not ended belong to what was removed.
    long liveJobs(Removed removed);
}
