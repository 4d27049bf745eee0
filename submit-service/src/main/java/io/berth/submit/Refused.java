package io.berth.submit;

/// Carries a refusal to where the request is answered.
public final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Refusal refusal;

    public Refused(Refusal refusal) {
        super(refusal.detail(), null, false, false);
        this.refusal = refusal;
    }

    public Refusal refusal() {
        return refusal;
    }
}
