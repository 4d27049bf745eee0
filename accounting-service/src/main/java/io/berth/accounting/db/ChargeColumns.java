package io.berth.accounting.db;

import io.berth.contracts.Charge;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;

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

    static ChargeColumns of(Charge charge) {
        var columns = new ChargeColumns();
        columns.cpuMillis = charge.cpuMillis();
        columns.memoryMibMillis = charge.memoryMibMillis();
        columns.gpuMillis = charge.gpuMillis();
        columns.nodeMillis = charge.nodeMillis();
        columns.billingMicros = charge.billingMicros();
        return columns;
    }

    Charge charge() {
        return new Charge(cpuMillis, memoryMibMillis, gpuMillis, nodeMillis, billingMicros);
    }
}
