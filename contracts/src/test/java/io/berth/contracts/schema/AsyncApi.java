package io.berth.contracts.schema;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.contracts.json.Json;
import io.berth.contracts.topic.Topic;
import io.berth.contracts.topic.Topic.Cleanup;
import io.berth.contracts.topic.Topics;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The AsyncAPI 3 document of all topics, and the JSON Schemas that it refers to.
final class AsyncApi {
    private static final String DEAD_LETTERS = "berth.dead-letters.{service}.v1";

    private static final Map<String, String> HEADERS =
            new TreeMap<>(
                    Map.of(
                            "ce_specversion", "1.0",
                            "ce_id", "Derived from the event's cause: the same cause, the same id",
                            "ce_source",
                                    "The service that wrote it, such as /berth/placement-service",
                            "ce_type", "The event's type",
                            "ce_subject", "The record's key",
                            "content-type", "application/json"));

    private final EventSchemas schemas = new EventSchemas();
    private final SourceDocs docs = new SourceDocs();

    /// All topics; that of dead letters stands for each service's.
    static List<Topic<?>> topics() {
        var topics = new ArrayList<Topic<?>>(Topics.all());
        topics.add(Topics.deadLetters("{service}"));
        return topics;
    }

    /// The events of a topic, in the order that they are declared in.
    static List<Class<?>> events(Topic<?> topic) {
        Class<?>[] permitted = topic.events().getPermittedSubclasses();
        return permitted == null ? List.of(topic.events()) : List.of(permitted);
    }

    /// The schema's file, relative to the document: `schemas/berth.jobs.v1/Ended.json`.
    static String file(Topic<?> topic, Class<?> event) {
        return "schemas/"
                + topic.name().replace(".{service}", "")
                + "/"
                + event.getSimpleName()
                + ".json";
    }

    /// Every schema by its file.
    Map<String, ObjectNode> schemas() {
        var files = new TreeMap<String, ObjectNode>();
        for (Topic<?> topic : topics()) {
            for (Class<?> event : events(topic)) {
                files.put(
                        file(topic, event),
                        schemas.of(topic.name() + "/" + event.getSimpleName(), event));
            }
        }
        return files;
    }

    ObjectNode document() {
        ObjectNode document = Json.mapper().createObjectNode();
        document.put("asyncapi", "3.0.0");
        document.putObject("info")
                .put("title", "Berth")
                .put("version", "1")
                .put(
                        "description",
                        "The topics that Berth's services speak through. Values are JSON, headers are CloudEvents 1.0 attributes in binary mode. Fields may be added within a major version; readers ignore those that they do not know.");
        document.put("defaultContentType", "application/json");
        ObjectNode channels = document.putObject("channels");
        ObjectNode operations = document.putObject("operations");
        ObjectNode messages = document.putObject("components").putObject("messages");
        for (Topic<?> topic : topics()) {
            String name = name(topic);
            ObjectNode channel = channels.putObject(name);
            describe(channel, topic);
            ObjectNode own = channel.putObject("messages");
            for (Class<?> event : events(topic)) {
                String message = name + "." + event.getSimpleName();
                own.putObject(event.getSimpleName())
                        .put("$ref", "#/components/messages/" + message);
                messages.set(message, message(topic, event));
            }
            operations
                    .putObject("write-" + name)
                    .put("action", "send")
                    .put("summary", topic.writer().replace("{service}", "each service") + " writes")
                    .putObject("channel")
                    .put("$ref", "#/channels/" + name);
        }
        ObjectNode headers =
                document.withObject("/components/messageTraits/cloudEvent/headers")
                        .put("type", "object");
        HEADERS.forEach((header, text) ->
                headers.withObject("/properties")
                        .putObject(header)
                        .put("type", "string")
                        .put("description", text));
        return document;
    }

    /// `jobs` of `berth.jobs.v1`.
    private static String name(Topic<?> topic) {
        return topic.name().replace(".{service}", "").replaceAll("^berth\\.|\\.v\\d+$", "");
    }

    private void describe(ObjectNode channel, Topic<?> topic) {
        channel.put("address", topic.name());
        String text = docs.of(topic.events());
        if (!text.isEmpty()) {
            channel.put("description", text);
        }
        if (topic.name().equals(DEAD_LETTERS)) {
            channel.putObject("parameters")
                    .putObject("service")
                    .put("description", "The service that could not apply the records");
        }
        ObjectNode settings =
                channel.withObject("/bindings/kafka")
                        .put("topic", topic.name())
                        .putObject("topicConfiguration");
        settings.putArray("cleanup.policy")
                .add(topic.cleanup() == Cleanup.COMPACT ? "compact" : "delete");
        if (topic.cleanup() == Cleanup.DELETE) {
            settings.put("retention.ms", topic.retention().toMillis());
        }
        settings.put("max.message.bytes", topic.maxBytes());
    }

    private ObjectNode message(Topic<?> topic, Class<?> event) {
        ObjectNode message = Json.mapper().createObjectNode();
        message.put("name", topic.name() + "/" + event.getSimpleName());
        message.put("title", event.getSimpleName());
        String text = docs.of(event);
        if (!text.isEmpty()) {
            message.put("summary", text);
        }
        message.putObject("payload").put("$ref", file(topic, event));
        message.putArray("traits").addObject().put("$ref", "#/components/messageTraits/cloudEvent");
        return message;
    }
}
