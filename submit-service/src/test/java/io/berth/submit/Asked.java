package io.berth.submit;

import io.berth.contracts.json.Json;
import io.berth.slurm.JobSubmission;
import java.util.LinkedHashMap;
import java.util.Map;

/// Submissions in few words: the fields that matter, over a script that is fine.
final class Asked {
    static final String SCRIPT = "#!/bin/sh\nhostname\n";

    private Asked() {}

    /// Fields as `name=value` with spaces between; `default` for nothing but the script.
    static JobSubmission fields(String fields) {
        var json = new LinkedHashMap<String, Object>();
        for (String field : fields.equals("default") ? new String[0] : fields.split(" +")) {
            String[] parts = field.split("=", 2);
            json.put(parts[0], number(parts[1]));
        }
        return with(json);
    }

    static JobSubmission with(Map<String, ?> fields) {
        var json = new LinkedHashMap<String, Object>();
        json.put("script", SCRIPT);
        json.putAll(fields);
        return Json.mapper().convertValue(json, JobSubmission.class);
    }

    private static Object number(String text) {
        return text.matches("-?\\d+") ? Long.valueOf(text) : text;
    }
}
