package io.berth.agent.group;

import io.berth.contracts.Consumption;
import io.berth.contracts.Isolation;
import io.berth.contracts.NodeName;
import io.berth.contracts.RunId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// Groups of a host that has some controllers in cgroups of version 1 and the rest in version 2:
/// each group is one of both.
///
/// @param freezes whether the first have a freezer; else the second's is used
record BothVersions(Groups first, Groups second, boolean freezes) implements Groups {

    @Override
    public String description() {
        return first.description() + " and " + second.description();
    }

    @Override
    public Optional<String> favorMoves() throws IOException {
        return first.favorMoves();
    }

    @Override
    public boolean countSwap() {
        return first.countSwap() && second.countSwap();
    }

    @Override
    public Group create(NodeName node, RunId run, Limits limits) throws IOException {
        Group one = first.create(node, run, limits);
        try {
            return new Pair(one, second.create(node, run, limits), freezes);
        } catch (IOException e) {
            one.remove();
            throw e;
        }
    }

    @Override
    public Group find(NodeName node, RunId run) {
        return new Pair(first.find(node, run), second.find(node, run), freezes);
    }

    @Override
    public void removeEmptyParents(NodeName node) {
        first.removeEmptyParents(node);
        second.removeEmptyParents(node);
    }

    private record Pair(Group one, Group other, boolean freezes) implements Group {

        @Override
        public List<Path> entrances() {
            return Stream.concat(one.entrances().stream(), other.entrances().stream()).toList();
        }

        @Override
        public List<Path> folders() {
            return Stream.concat(one.folders().stream(), other.folders().stream()).toList();
        }

        @Override
        public Set<Integer> children() throws IOException {
            var all = new TreeSet<>(one.children());
            all.addAll(other.children());
            return all;
        }

        @Override
        public Optional<Group> child(int number) {
            return one.child(number)
                    .flatMap(a -> other.child(number).map(b -> new Pair(a, b, freezes)));
        }

        @Override
        public boolean countsChildren() {
            return one.countsChildren();
        }

        @Override
        public Group makeChild(int number, ChildLimits limits) throws IOException {
            Group a = one.makeChild(number, limits);
            try {
                return new Pair(a, other.makeChild(number, limits), freezes);
            } catch (IOException e) {
                a.remove();
                throw e;
            }
        }

        @Override
        public Set<Isolation> enforced() {
            var all = EnumSet.noneOf(Isolation.class);
            all.addAll(one.enforced());
            all.addAll(other.enforced());
            return Set.copyOf(all);
        }

        @Override
        public Set<Long> members() throws IOException {
            var all = new TreeSet<>(one.members());
            all.addAll(other.members());
            return all;
        }

        @Override
        public boolean isEmpty() throws IOException {
            return one.isEmpty() && other.isEmpty();
        }

        @Override
        public boolean has(long pid) throws IOException {
            return one.has(pid) || other.has(pid);
        }

        @Override
        public void kill() throws IOException {
            one.kill();
            other.kill();
        }

        @Override
        public void suspend() throws IOException {
            (freezes ? one : other).suspend();
        }

        @Override
        public void resume() throws IOException {
            (freezes ? one : other).resume();
        }

        /// What is counted in version 1; the rest is counted in version 2.
        @Override
        public Consumption usage() throws IOException {
            Consumption a = one.usage();
            Consumption b = other.usage();
            return new Consumption(
                    Math.max(a.cpuMillis(), b.cpuMillis()),
                    Math.max(a.maxMemoryMib(), b.maxMemoryMib()),
                    a.readMib() == null ? b.readMib() : a.readMib(),
                    a.writtenMib() == null ? b.writtenMib() : a.writtenMib());
        }

        @Override
        public boolean outOfMemory() throws IOException {
            return one.outOfMemory() || other.outOfMemory();
        }

        @Override
        public void remove() throws IOException {
            one.remove();
            other.remove();
        }
    }
}
