package io.berth.core.engine;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Until when the jobs of a fit class could have nodes from now on. No job of the class can start
/// now whose window ends later.
///
/// *Method*: all nodes of a job are of one group: of all nodes, or of those under one leaf switch.
/// Of each group the nodes are known that could be had longest, as many as a job has parts, each of
/// them once: the least of their times is the group's.
///
/// An upper bound for jobs as short as those that wait ([Shortest]): it is lowered by trying, and
/// raised when something comes free on a node. That another run takes something leaves it as it is.
final class Reach {

    /// The nodes of a group that could be had longest.
    static final class Longest {

        /// Rising; 0 for those that are wanting.
        private final long[] untils;

        private final int[] nodes;

        /// None as yet.
        ///
        /// @param parts of a job of the class
        Longest(int parts) {
            this.untils = new long[parts];
            this.nodes = new int[parts];
            Arrays.fill(nodes, -1);
        }

        /// Until when a job could have nodes of the group.
        long end() {
            return untils[0];
        }

        /// A node that is not among them could be had until then.
        void add(int node, long until) {
            if (until > untils[0]) {
                put(0, node, until);
            }
        }

        /// A node could be had until then. False: that was known.
        private boolean raise(int node, long until) {
            int at = indexOf(node);
            if (at >= 0 && untils[at] >= until) {
                return false;
            }
            if (until > untils[0]) {
                put(Math.max(0, at), node, until);
            }
            return true;
        }

        /// Puts a node where its time stands, in place of one that stands before.
        private void put(int instead, int node, long until) {
            int at = Arrays.binarySearch(untils, instead + 1, untils.length, until);
            int behind = (at < 0 ? -at - 1 : at) - 1;
            System.arraycopy(untils, instead + 1, untils, instead, behind - instead);
            System.arraycopy(nodes, instead + 1, nodes, instead, behind - instead);
            untils[behind] = until;
            nodes[behind] = node;
        }

        private int indexOf(int node) {
            for (int at = 0; at < nodes.length; at++) {
                if (nodes[at] == node) {
                    return at;
                }
            }
            return -1;
        }

        /// Whether a job could have nodes until then, if it could have these as well.
        private boolean holds(long end, int[] others) {
            int few = 0;
            while (few < untils.length && untils[few] < end) {
                few++;
            }
            for (int at = 0; few > 0 && few <= others.length - at; at++) {
                int known = indexOf(others[at]);
                few -= known < 0 || untils[known] < end ? 1 : 0;
            }
            return few <= 0;
        }
    }

    /// By node, its group; -1 for one that no job can have. Null: all nodes are of one group.
    private final int @Nullable [] groupOf;

    /// Whether nothing else than its time matters of a node.
    private final boolean alike;

    /// By group; null where they are not known.
    private final @Nullable Longest[] longest;

    /// No job can start now whose window ends later, whatever the groups say.
    private long cap = Node.NEVER;

    /// Of the groups, the longest one's.
    private long end = Node.NEVER;

    /// @param groups how many groups there are
    /// @param alike whether all parts of a job are
    Reach(int @Nullable [] groupOf, int groups, boolean alike) {
        this.groupOf = groupOf;
        this.longest = new Longest[groups];
        this.alike = alike;
    }

    /// Nothing is known.
    void open() {
        Arrays.fill(longest, null);
        cap = Node.NEVER;
        end = Node.NEVER;
    }

    /// No job can start now whose window ends later.
    long end() {
        return Math.min(cap, end);
    }

    /// How many groups there are.
    int groups() {
        return longest.length;
    }

    private int groupOf(int node) {
        return groupOf == null ? 0 : groupOf[node];
    }

    /// Whether a job could have nodes of a group until then, or may if more is free on some nodes.
    boolean holds(int group, long end, int[] freer) {
        Longest its = longest[group];
        boolean holds = its == null || its.end() >= end;
        for (int at = 0; at < freer.length && !holds; at++) {
            holds = groupOf(freer[at]) == group;
        }
        return holds;
    }

    /// Whether a job could have nodes until then, if it could have these as well.
    boolean holds(long end, int[] these) {
        if (this.end >= end) {
            return cap >= end || these.length > 0;
        }
        int tried = -1;
        for (int node : these) {
            int group = groupOf(node);
            if (group != tried && group >= 0) {
                int[] own = Arrays.stream(these).filter(it -> groupOf(it) == group).toArray();
                Longest its = longest[group];
                if (its == null || its.holds(end, own)) {
                    return true;
                }
            }
            tried = group;
        }
        return false;
    }

    /// Something came free on a node, which could be had until then.
    void raise(int node, long until) {
        int group = groupOf(node);
        if (group < 0) {
            return;
        }
        Longest its = longest[group];
        boolean raised = its == null || its.raise(node, until);
        if (raised || !alike) {
            cap = Math.max(cap, until);
        }
        if (raised && its != null) {
            end = Math.max(end, its.end());
        }
    }

    /// No job can start now whose window ends after that.
    void lower(long end) {
        cap = Math.min(cap, end);
    }

    /// These are the nodes that could be had longest.
    ///
    /// @param all by group; null for one that stays as it was
    void set(@Nullable Longest[] all) {
        end = 0;
        for (int group = 0; group < longest.length; group++) {
            longest[group] = all[group] == null ? longest[group] : all[group];
            Longest its = longest[group];
            end = Math.max(end, its == null ? Node.NEVER : its.end());
        }
    }
}
