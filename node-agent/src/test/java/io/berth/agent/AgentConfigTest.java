package io.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.runtime.configuration.DurationConverter;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AgentConfigTest {

    @Test
    void its_defaults_are_these() {
        AgentConfig config =
                new SmallRyeConfigBuilder()
                        .withMapping(AgentConfig.class)
                        .withConverter(Duration.class, 200, new DurationConverter())
                        .withDefaultValue("berth.agent.home", "/var/lib/berth/agent")
                        .build()
                        .getConfigMapping(AgentConfig.class);

        assertThat(config.name()).isEmpty();
        assertThat(config.cell()).isZero();
        assertThat(config.clusterName()).isEmpty();
        assertThat(config.home()).isEqualTo(Path.of("/var/lib/berth/agent"));
        assertThat(config.host()).isTrue();
        assertThat(config.gpuProfile()).isEmpty();
        assertThat(config.virtual()).isEmpty();
        assertThat(config.gpuTest()).isEmpty();
        assertThat(config.healthProgram()).isEmpty();
        assertThat(config.healthInterval()).isEqualTo(Duration.ofMinutes(5));
        assertThat(config.healthWhen()).isEqualTo(AgentConfig.HealthWhen.ANY);
        assertThat(config.healthLimit()).isEqualTo(Duration.ofMinutes(1));
        assertThat(config.placementKeys()).isEmpty();
        assertThat(config.runAs()).isEqualTo(AgentConfig.RunAs.AGENT);
        assertThat(config.reservedCpus()).isEmpty();
        assertThat(config.reservedMemory()).isEmpty();
        assertThat(config.memory().allowedRamSpace()).isEqualTo(100);
        assertThat(config.memory().allowedSwapSpace()).isZero();
        assertThat(config.memory().maxRamPercent()).isEqualTo(100);
        assertThat(config.memory().maxSwapPercent()).isEqualTo(100);
        assertThat(config.memory().swappiness()).isEmpty();
        assertThat(config.cdiFolders())
                .containsExactly(Path.of("/etc/cdi"), Path.of("/var/run/cdi"));
        assertThat(config.prolog()).isEmpty();
        assertThat(config.epilog()).isEmpty();
        assertThat(config.requiredIsolation()).isEmpty();
        assertThat(config.gpusWithoutIsolation()).isFalse();
        assertThat(config.driverWait()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.gpuPatience()).isEqualTo(Duration.ofMinutes(1));
        assertThat(config.maxProcesses()).isEqualTo(32_768);
        assertThat(config.nvmlLibrary()).isEqualTo("libnvidia-ml.so.1");
        assertThat(config.onShutdown()).isEqualTo(AgentConfig.OnShutdown.LEAVE);
        assertThat(config.cgroupParent()).isEqualTo("berth");
        assertThat(config.systemdScope()).isTrue();
        assertThat(config.killGrace()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.heartbeat()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.syncTimeout()).isEqualTo(Duration.ofSeconds(10));
    }
}
