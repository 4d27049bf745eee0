package io.berth.submit.http;

import static io.berth.submit.Checks.quoted;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.json.Json;
import io.berth.submit.Refusal.InvalidRequest;
import io.berth.submit.Refused;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The fields that a list shows of each job.
record JobFields(List<String> names) {
    private static final Set<String> KNOWN =
            Stream.of(JobJson.class, TermsJson.class)
                    .flatMap(it -> Stream.of(it.getRecordComponents()))
                    .filter(it -> it.getType() != TermsJson.class)
                    .filter(it -> it.getType() != LaunchJson.class)
                    .map(RecordComponent::getName)
                    .collect(Collectors.toCollection(TreeSet::new));

    static JobFields of(String list) throws Refused {
        List<String> names = JobFilter.words(list);
        for (String name : names) {
            if (!KNOWN.contains(name)) {
                throw new Refused(
                        new InvalidRequest(
                                "unknown field "
                                        + quoted(name)
                                        + "; there are: "
                                        + String.join(", ", KNOWN)));
            }
        }
        if (names.isEmpty()) {
            throw new Refused(new InvalidRequest("fields names none"));
        }
        return new JobFields(names);
    }

    ObjectNode of(JobJson job) {
        ObjectNode all = Json.mapper().valueToTree(job);
        return all.retain(names);
    }
}
