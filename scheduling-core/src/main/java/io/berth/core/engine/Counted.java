package io.berth.core.engine;

import java.util.Arrays;

/// Amounts of what a kind of node has beside CPUs, memory and GPUs, each by its place there.
public final class Counted {

    public static final Counted NONE = new Counted();

    private final long[] amounts;

    private Counted(long... amounts) {
        this.amounts = amounts;
    }

    /// @param amounts by place; those that are left out are 0
    public static Counted of(long... amounts) {
        int length = amounts.length;
        while (length > 0 && amounts[length - 1] == 0) {
            length--;
        }
        for (long amount : amounts) {
            if (amount < 0) {
                throw new IllegalArgumentException("count " + Arrays.toString(amounts));
            }
        }
        return length == 0 ? NONE : new Counted(Arrays.copyOf(amounts, length));
    }

    /// How many places it speaks of.
    int places() {
        return amounts.length;
    }

    /// So many of the thing at a place.
    static Counted one(int place, long amount) {
        var amounts = new long[place + 1];
        amounts[place] = amount;
        return of(amounts);
    }

    /// The same but for what stands at a place; -1 is none.
    Counted without(int place) {
        if (place < 0 || at(place) == 0) {
            return this;
        }
        long[] rest = amounts.clone();
        rest[place] = 0;
        return of(rest);
    }

    long at(int place) {
        return place < amounts.length ? amounts[place] : 0;
    }

    /// Adds it so many times to some of the numbers.
    ///
    /// @param first where the one of the first place stands
    void addTo(long[] numbers, int first, int times) {
        for (int place = 0; place < amounts.length && first + place < numbers.length; place++) {
            numbers[first + place] += times * amounts[place];
        }
    }

    /// Whether as much is there of everything.
    ///
    /// @param first where the one of the first place stands
    boolean fits(long[] there, int first) {
        for (int place = 0; place < amounts.length; place++) {
            if (amounts[place] > 0
                    && (first + place >= there.length || there[first + place] < amounts[place])) {
                return false;
            }
        }
        return true;
    }

    Counted and(Counted other) {
        if (amounts.length == 0 || other.amounts.length == 0) {
            return amounts.length == 0 ? other : this;
        }
        long[] sum = Arrays.copyOf(amounts, Math.max(amounts.length, other.amounts.length));
        other.addTo(sum, 0, 1);
        return of(sum);
    }

    Counted less(Counted part) {
        if (part.amounts.length == 0) {
            return this;
        }
        long[] left = amounts.clone();
        part.addTo(left, 0, -1);
        return of(left);
    }

    /// As much of this as the other has.
    Counted within(Counted other) {
        if (amounts.length == 0 || other.amounts.length == 0) {
            return NONE;
        }
        long[] least = amounts.clone();
        Arrays.setAll(least, place -> Math.min(least[place], other.at(place)));
        return of(least);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Counted it && Arrays.equals(amounts, it.amounts);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(amounts);
    }

    @Override
    public String toString() {
        return Arrays.toString(amounts);
    }
}
