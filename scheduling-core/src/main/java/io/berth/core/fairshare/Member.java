package io.berth.core.fairshare;

import java.util.Comparator;

/// A user in an account: what usage is booked on and what has a fair-share factor.
public record Member(String account, String user) implements Comparable<Member> {

    private static final Comparator<Member> ORDER =
            Comparator.comparing(Member::account).thenComparing(Member::user);

    @Override
    public int compareTo(Member other) {
        return ORDER.compare(this, other);
    }
}
