package io.berth.log;

import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/// The heap of a service, kept lean where its JVM is told so, by `-Dlean.heap=true`.
@Singleton
final class ServiceHeap {

    void start(@Observes StartupEvent event) {
        if (Boolean.getBoolean("lean.heap")) {
            LeanHeap.keep();
        }
    }
}
