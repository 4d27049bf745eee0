package io.berth.core.packing;

import java.util.Arrays;

/// Numbers remembered by what is free on a node, whatever the order of its GPUs.
final class FreeStates {

    private static final int LARGEST = 1 << 20;

    private long[] keys = new long[1 << 14];
    private long[] values = new long[1 << 14];
    private int size;
    private int[] sorted = {};

    /// The node's free GPUs, of each type the least first. Overwritten by the next call.
    int[] sorted(FreeNode node) {
        int count = node.gpus.length;
        if (sorted.length != count) {
            sorted = new int[count];
        }
        for (int i = 0; i < count; i++) {
            int free = node.gpus[i];
            int place = i;
            while (place > 0
                    && sorted[place - 1] > free
                    && node.types[place - 1] == node.types[i]) {
                sorted[place] = sorted[place - 1];
                place--;
            }
            sorted[place] = free;
        }
        return sorted;
    }

    /// What is free, in 64 bits: two states share a key once in many billions, and then alike in
    /// every run.
    long key(FreeNode node) {
        long key = Draws.mix(node.cpus + node.layout);
        key = Draws.mix(key ^ node.memoryMib);
        for (int free : sorted(node)) {
            key = Draws.mix(key + free);
        }
        return key == 0 ? 1 : key;
    }

    /// -1 if nothing is remembered.
    long get(long key) {
        int place = (int) key & keys.length - 1;
        while (keys[place] != 0) {
            if (keys[place] == key) {
                return values[place];
            }
            place = place + 1 & keys.length - 1;
        }
        return -1;
    }

    void put(long key, long value) {
        if (size * 2 >= keys.length) {
            grow();
        }
        int place = (int) key & keys.length - 1;
        while (keys[place] != 0) {
            place = place + 1 & keys.length - 1;
        }
        keys[place] = key;
        values[place] = value;
        size++;
    }

    private void grow() {
        if (keys.length == LARGEST) {
            clear();
            return;
        }
        long[] oldKeys = keys;
        long[] oldValues = values;
        keys = new long[oldKeys.length * 2];
        values = new long[keys.length];
        size = 0;
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != 0) {
                put(oldKeys[i], oldValues[i]);
            }
        }
    }

    void clear() {
        Arrays.fill(keys, 0);
        size = 0;
    }
}
