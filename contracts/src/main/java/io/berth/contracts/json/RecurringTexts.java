package io.berth.contracts.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.deser.std.StringDeserializer;
import java.io.IOException;

/// Reads texts, and gives one object for equal short ones that come near one another: names of
/// users, accounts, partitions, nodes and GPUs recur in every record, and readers keep a hundred
/// thousand of those. So do the SHA-256 of what many jobs in a row have in common; they have places
/// of their own, since most of them never recur.
///
/// Tables with one place for each hash, the last comer in it. Several threads may read at once:
/// what they lose to one another is only the saving.
final class RecurringTexts extends StdScalarDeserializer<String> {

    private static final long serialVersionUID = 1;

    private static final int LONGEST_NAME = 48;
    private static final int SHA_256 = 64;

    @SuppressWarnings("serial")
    private final String[] names = new String[1 << 12];

    @SuppressWarnings("serial")
    private final String[] hashes = new String[1 << 8];

    RecurringTexts() {
        super(String.class);
    }

    @Override
    public String deserialize(JsonParser parser, DeserializationContext context)
            throws IOException {
        String text = StringDeserializer.instance.deserialize(parser, context);
        if (text == null || text.length() > LONGEST_NAME) {
            return text != null && text.length() == SHA_256 ? one(text, hashes) : text;
        }
        return one(text, names);
    }

    private static String one(String text, String[] last) {
        int hash = text.hashCode();
        int place = (hash ^ hash >>> 16) & (last.length - 1);
        String known = last[place];
        if (text.equals(known)) {
            return known;
        }
        last[place] = text;
        return text;
    }
}
