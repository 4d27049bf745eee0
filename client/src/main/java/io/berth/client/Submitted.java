package io.berth.client;

/// What became of one job of many that were submitted together.
///
/// @param id of the job, of an array its first task's; 0 if it was not accepted
/// @param status 201, that of a refusal, or 503 if it is not known whether it was accepted
/// @param code of the problem; "" if there is none
/// @param detail what was wrong, and what is allowed; "" if nothing was
public record Submitted(long id, int status, String code, String detail) {

    static Submitted of(JsonObject line) {
        return new Submitted(
                line.number("id"),
                (int) line.number("status"),
                line.text("code"),
                line.text("detail"));
    }

    /// Whether it stands in the log, and will not be lost.
    public boolean accepted() {
        return status == 201;
    }
}
