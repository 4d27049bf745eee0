package io.berth.agent;

import io.berth.contracts.topic.Topics;
import io.berth.log.KafkaConnection;
import io.berth.log.TopicDeclarations;

/// The topics of a cell of tests, as all services together would make them.
final class TestTopics {

    static final TopicDeclarations DECLARATIONS = new TopicDeclarations(1, 8, (short) 1);

    private TestTopics() {}

    static void create(KafkaConnection connection) {
        try (var admin = connection.admin()) {
            DECLARATIONS.create(admin, Topics.writtenBy("placement-service"));
            DECLARATIONS.create(admin, Topics.writtenBy("submit-service"));
            DECLARATIONS.create(admin, Topics.writtenBy("node-agent"));
        }
    }
}
