package io.berth.slurm;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/// Slurm's short text for a set of host names: `node[01-03,07],gpu1`.
///
/// A name is a prefix and the number that it ends in. Numbers keep their zero padding: `node[8-10]`
/// is node8, node9, node10, and `node[08-10]` is node08, node09, node10.
public final class HostList {

    /// Hosts that one text may name: more is a slip of the pen or an attack.
    public static final int MAX_HOSTS = 1 << 16;

    /// The order of an expanded list: by prefix, then by number, then by padding.
    public static final Comparator<String> ORDER = (a, b) -> Host.of(a).compareTo(Host.of(b));

    private HostList() {}

    /// The shortest list of these hosts; each is named once.
    public static String compress(Collection<String> hosts) {
        var sorted = new TreeSet<Host>();
        hosts.forEach(host -> sorted.add(Host.of(host)));
        return text(sorted);
    }

    /// The list of these hosts in their own order, which [#expand] gives back: `node[03,01-02]`.
    public static String inOrder(List<String> hosts) {
        return text(hosts.stream().map(Host::of).toList());
    }

    private static String text(Collection<Host> hosts) {
        var groups = new ArrayList<List<Host>>();
        for (Host host : hosts) {
            if (groups.isEmpty() || !host.sharesPrefix(groups.getLast().getLast())) {
                groups.add(new ArrayList<>());
            }
            groups.getLast().add(host);
        }
        var text = new StringBuilder();
        for (List<Host> group : groups) {
            text.append(text.isEmpty() ? "" : ",").append(group.getFirst().prefix());
            if (group.size() == 1) {
                text.append(group.getFirst().digits());
            } else {
                appendRanges(group, text.append('['));
                text.append(']');
            }
        }
        return text.toString();
    }

    private static void appendRanges(List<Host> group, StringBuilder text) {
        for (int first = 0; first < group.size(); ) {
            int last = first;
            while (last + 1 < group.size() && group.get(last).precedes(group.get(last + 1))) {
                last++;
            }
            text.append(first == 0 ? "" : ",").append(group.get(first).digits());
            if (last > first) {
                text.append('-').append(group.get(last).digits());
            }
            first = last + 1;
        }
    }

    /// The hosts that a list names, in its order.
    ///
    /// @throws IllegalArgumentException if the text is no host list, or names more than
    ///   [#MAX_HOSTS]
    public static List<String> expand(String list) {
        var hosts = new ArrayList<String>();
        for (String part : partsOf(list)) {
            expandInto("", part, list, hosts);
        }
        return List.copyOf(hosts);
    }

    private static List<String> partsOf(String list) {
        var parts = new ArrayList<String>();
        boolean inside = false;
        int start = 0;
        for (int i = 0; i < list.length(); i++) {
            char c = list.charAt(i);
            if (c == '[' || c == ']') {
                if (inside == (c == '[')) {
                    throw malformed(list, "its brackets do not match");
                }
                inside = !inside;
            } else if (c == ',' && !inside) {
                parts.add(list.substring(start, i));
                start = i + 1;
            }
        }
        if (inside) {
            throw malformed(list, "its brackets do not match");
        }
        parts.add(list.substring(start));
        parts.removeIf(String::isEmpty);
        return parts;
    }

    private static void expandInto(String prefix, String rest, String list, List<String> hosts) {
        int open = rest.indexOf('[');
        if (open < 0) {
            if (hosts.size() == MAX_HOSTS) {
                throw malformed(list, "it names more than " + MAX_HOSTS + " hosts");
            }
            hosts.add(prefix + rest);
            return;
        }
        int close = rest.indexOf(']');
        String after = rest.substring(close + 1);
        for (String range : rest.substring(open + 1, close).split(",", -1)) {
            int dash = range.indexOf('-');
            String low = dash < 0 ? range : range.substring(0, dash);
            long first = number(low, list);
            long last = dash < 0 ? first : number(range.substring(dash + 1), list);
            if (last < first) {
                throw malformed(list, "range " + range + " runs backwards");
            }
            for (long n = first; n <= last; n++) {
                String padded = "0".repeat(Math.max(0, low.length() - Long.toString(n).length()));
                expandInto(prefix + rest.substring(0, open) + padded + n, after, list, hosts);
            }
        }
    }

    private static long number(String digits, String list) {
        if (digits.isEmpty()
                || digits.length() > Host.MAX_DIGITS
                || !digits.chars().allMatch(Host::isDigit)) {
            throw malformed(list, "'" + digits + "' is not a number");
        }
        return Long.parseLong(digits);
    }

    private static IllegalArgumentException malformed(String list, String why) {
        String shown = list.length() > 80 ? list.substring(0, 80) + "…" : list;
        return new IllegalArgumentException("host list '" + shown + "': " + why);
    }

    /// A host name taken apart.
    ///
    /// @param digits what it ends in, "" if that is no number
    private record Host(String prefix, String digits) implements Comparable<Host> {

        static final int MAX_DIGITS = 18;

        static Host of(String name) {
            int start = name.length();
            while (start > 0
                    && isDigit(name.charAt(start - 1))
                    && name.length() - start < MAX_DIGITS) {
                start--;
            }
            return new Host(name.substring(0, start), name.substring(start));
        }

        static boolean isDigit(int c) {
            return c >= '0' && c <= '9';
        }

        long number() {
            return digits.isEmpty() ? -1 : Long.parseLong(digits);
        }

        boolean sharesPrefix(Host other) {
            return prefix.equals(other.prefix) && !digits.isEmpty() && !other.digits.isEmpty();
        }

        /// Whether the other is the next number, written as a range from this one writes it.
        boolean precedes(Host other) {
            boolean grows = !digits.startsWith("0") && other.digits.length() == digits.length() + 1;
            return other.number() == number() + 1
                    && (other.digits.length() == digits.length()
                            || (grows && !other.digits.startsWith("0")));
        }

        @Override
        public int compareTo(Host other) {
            int order = prefix.compareTo(other.prefix);
            order = order == 0 ? Long.compare(number(), other.number()) : order;
            return order == 0 ? Integer.compare(digits.length(), other.digits.length()) : order;
        }
    }
}
