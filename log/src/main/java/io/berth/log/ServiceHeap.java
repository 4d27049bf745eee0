package io.berth.log;

import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/// The heap of a service, kept lean where it is told so: `berth.lean-heap`.
@Singleton
final class ServiceHeap {

    private final boolean lean;

    ServiceHeap(@ConfigProperty(name = "berth.lean-heap", defaultValue = "false") boolean lean) {
        this.lean = lean;
    }

    void start(@Observes StartupEvent event) {
        if (lean) {
            LeanHeap.keep();
        }
    }
}
