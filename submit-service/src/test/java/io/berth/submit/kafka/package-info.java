/// Tests of the gateway's ends of the log.
@org.jspecify.annotations.NullMarked
package io.berth.submit.kafka;
