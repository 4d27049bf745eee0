package io.berth.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

/// A path with parameters, each a list: `/v1/jobs?state=PENDING,RUNNING&user=alice`.
public final class Query {

    private final StringBuilder url;
    private char separator = '?';

    public Query(String path) {
        url = new StringBuilder(path);
    }

    /// Adds a parameter, unless it has no values.
    public Query with(String name, Collection<?> values) {
        for (Object value : values) {
            url.append(separator).append(separator == ',' ? "" : name + "=");
            url.append(URLEncoder.encode(value.toString(), StandardCharsets.UTF_8));
            separator = ',';
        }
        if (!values.isEmpty()) {
            separator = '&';
        }
        return this;
    }

    @Override
    public String toString() {
        return url.toString();
    }
}
