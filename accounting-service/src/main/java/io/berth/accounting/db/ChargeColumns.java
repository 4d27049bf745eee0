package io.berth.accounting.db;

import io.berth.contracts.Charge;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Embeddable;
import java.util.Map;

/// A charge as columns.
@Embeddable
public class ChargeColumns {

    @Column(name = "cpu_millis")
    public long cpuMillis;

    @Column(name = "memory_mib_millis")
    public long memoryMibMillis;

    @Column(name = "gpu_millis")
    public long gpuMillis;

    @Column(name = "node_millis")
    public long nodeMillis;

    @Column(name = "billing_micros")
    public long billingMicros;

    @Column(name = "gpu_type_millis")
    @Convert(converter = AmountsColumn.class)
    public Map<String, Long> gpuTypeMillis = Map.of();

    static ChargeColumns of(Charge charge) {
        var columns = new ChargeColumns();
        columns.cpuMillis = charge.cpuMillis();
        columns.memoryMibMillis = charge.memoryMibMillis();
        columns.gpuMillis = charge.gpuMillis();
        columns.nodeMillis = charge.nodeMillis();
        columns.billingMicros = charge.billingMicros();
        columns.gpuTypeMillis = charge.gpuTypeMillis();
        return columns;
    }

    Charge charge() {
        return new Charge(
                cpuMillis, memoryMibMillis, gpuMillis, nodeMillis, billingMicros, gpuTypeMillis);
    }
}
