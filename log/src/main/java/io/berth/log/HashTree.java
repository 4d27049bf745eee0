package io.berth.log;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/// A binary tree of SHA-256 hashes over some leaves, whose root stands for them all: a leaf and its
/// path, the hashes beside its way up, give the root again, and no other leaf does.
///
/// A level of odd length passes its last hash on as it is. Leaves and inner nodes are hashed with
/// different first bytes, so that none can be taken for the other.
///
/// Source: RFC 9162, section 2.1, but for the shape of trees whose size is no power of two.
final class HashTree {

    static final int HASH_BYTES = 32;

    private static final byte LEAF = 0;
    private static final byte INNER = 1;

    /// From the leaves' hashes up to the root.
    private final List<List<byte[]>> levels = new ArrayList<>();

    /// @param leaves at least one
    HashTree(List<byte[]> leaves) {
        if (leaves.isEmpty()) {
            throw new IllegalArgumentException("a hash tree needs a leaf");
        }
        List<byte[]> level = leaves.stream().map(HashTree::leaf).toList();
        levels.add(level);
        while (level.size() > 1) {
            level = above(level);
            levels.add(level);
        }
    }

    byte[] root() {
        return levels.getLast().getFirst();
    }

    /// The hashes beside the way from a leaf to the root, lowest first.
    List<byte[]> path(int leaf) {
        var path = new ArrayList<byte[]>();
        int index = leaf;
        for (List<byte[]> level : levels) {
            int beside = index ^ 1;
            if (beside < level.size()) {
                path.add(level.get(beside));
            }
            index /= 2;
        }
        return path;
    }

    /// How long the path of a leaf is in a tree of that size.
    static int pathLength(int leaf, int size) {
        int length = 0;
        int at = leaf;
        for (int width = size; width > 1; width = (width + 1) / 2) {
            length += (at ^ 1) < width ? 1 : 0;
            at /= 2;
        }
        return length;
    }

    /// The root of the tree of that size in which the leaf stands at that place.
    ///
    /// @param path of [#pathLength]
    static byte[] root(byte[] leaf, int index, int size, List<byte[]> path) {
        byte[] hash = leaf(leaf);
        int used = 0;
        int at = index;
        for (int width = size; width > 1; width = (width + 1) / 2) {
            if ((at ^ 1) < width) {
                byte[] beside = path.get(used++);
                hash = at % 2 == 0 ? inner(hash, beside) : inner(beside, hash);
            }
            at /= 2;
        }
        return hash;
    }

    private static List<byte[]> above(List<byte[]> level) {
        var above = new ArrayList<byte[]>();
        for (int i = 0; i < level.size(); i += 2) {
            above.add(i + 1 < level.size() ? inner(level.get(i), level.get(i + 1)) : level.get(i));
        }
        return above;
    }

    private static byte[] leaf(byte[] bytes) {
        MessageDigest digest = sha256();
        digest.update(LEAF);
        return digest.digest(bytes);
    }

    private static byte[] inner(byte[] left, byte[] right) {
        MessageDigest digest = sha256();
        digest.update(INNER);
        digest.update(left);
        return digest.digest(right);
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
