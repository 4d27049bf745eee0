package io.berth.contracts;

/// How the batch script ended: its exit code and the signal that killed it, 0 if none. Printed as
/// Slurm's `code:signal`.
public record ExitStatus(int code, int signal) {

    public static final ExitStatus SUCCESS = new ExitStatus(0, 0);

    public boolean successful() {
        return code == 0 && signal == 0;
    }

    @Override
    public String toString() {
        return code + ":" + signal;
    }
}
