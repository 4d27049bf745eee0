package io.berth.contracts.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.deser.std.StringDeserializer;
import java.io.IOException;

/// Reads texts, and gives one object for equal short ones that come near one another: names of
/// users, accounts, partitions, nodes and GPUs recur in every record, and readers keep a hundred
/// thousand of those.
///
/// A table with one place for each hash, the last comer in it. Several threads may read at once:
/// what they lose to one another is only the saving.
final class RecurringTexts extends StdScalarDeserializer<String> {

    private static final long serialVersionUID = 1;

    /// Names are shorter, hashes of contents, which never recur, are longer.
    private static final int LONGEST = 48;

    private static final int PLACES = 1 << 12;

    @SuppressWarnings("serial")
    private final String[] last = new String[PLACES];

    RecurringTexts() {
        super(String.class);
    }

    @Override
    public String deserialize(JsonParser parser, DeserializationContext context)
            throws IOException {
        String text = StringDeserializer.instance.deserialize(parser, context);
        return text == null || text.length() > LONGEST ? text : one(text);
    }

    private String one(String text) {
        int hash = text.hashCode();
        int place = (hash ^ hash >>> 16) & (PLACES - 1);
        String known = last[place];
        if (text.equals(known)) {
            return known;
        }
        last[place] = text;
        return text;
    }
}
