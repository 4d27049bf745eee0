package io.berth.client;

/// The mesh refused what was asked, as an `application/problem+json` says; the table of errors
/// stands in docs/api.md.
public class BerthException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final int status;
    private final String code;

    /// @param status of HTTP; 0 without an answer
    /// @param code for programs, such as `invalid_partition`; "" if the answer has none
    /// @param detail one line for people
    BerthException(int status, String code, String detail) {
        super(detail);
        this.status = status;
        this.code = code;
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    /// The mesh gave no certain answer within the client's patience: whether the request had an
    /// effect is not known. A submission may be asked again with the same key.
    public static final class NotAnswered extends BerthException {

        private static final long serialVersionUID = 1;

        private final long retryAfterSeconds;

        NotAnswered(int status, String code, String detail, long retryAfterSeconds) {
            super(status, code, detail);
            this.retryAfterSeconds = retryAfterSeconds;
        }

        /// After how many seconds the mesh asks to be asked again; 0 if it does not say.
        public long retryAfterSeconds() {
            return retryAfterSeconds;
        }
    }
}
