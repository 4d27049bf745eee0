package io.berth.core.engine;

import java.util.Arrays;
import java.util.function.IntPredicate;

/// Items that stand by two numbers each, the least first. Numbers and items lie side by side in
/// memory. One may stand there several times.
final class Heap {

    private long[] firsts = new long[64];
    private long[] seconds = new long[64];
    private int[] items = new int[64];
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    /// The item that stands first; as the numbers by which it does, while there is one.
    int item() {
        return items[0];
    }

    long first() {
        return firsts[0];
    }

    long second() {
        return seconds[0];
    }

    /// Whether an item with these numbers stands before all.
    boolean isBefore(long first, long second) {
        return size == 0 || before(first, second, 0);
    }

    void push(long first, long second, int item) {
        if (size == items.length) {
            firsts = Arrays.copyOf(firsts, 2 * size);
            seconds = Arrays.copyOf(seconds, 2 * size);
            items = Arrays.copyOf(items, 2 * size);
        }
        int hole = size++;
        while (hole > 0 && before(first, second, (hole - 1) / 2)) {
            move((hole - 1) / 2, hole);
            hole = (hole - 1) / 2;
        }
        put(hole, first, second, item);
    }

    /// Takes the first one out.
    void pop() {
        size--;
        long first = firsts[size];
        long second = seconds[size];
        int hole = 0;
        while (2 * hole + 1 < size) {
            int child = 2 * hole + 1;
            if (child + 1 < size && before(firsts[child + 1], seconds[child + 1], child)) {
                child++;
            }
            if (before(first, second, child)) {
                break;
            }
            move(child, hole);
            hole = child;
        }
        put(hole, first, second, items[size]);
    }

    /// Has no others than these any more.
    void keep(IntPredicate some) {
        int all = size;
        size = 0;
        for (int at = 0; at < all; at++) {
            if (some.test(items[at])) {
                push(firsts[at], seconds[at], items[at]);
            }
        }
    }

    private void move(int from, int to) {
        put(to, firsts[from], seconds[from], items[from]);
    }

    private void put(int at, long first, long second, int item) {
        firsts[at] = first;
        seconds[at] = second;
        items[at] = item;
    }

    private boolean before(long first, long second, int other) {
        return first != firsts[other] ? first < firsts[other] : second < seconds[other];
    }
}
