package io.berth.slurm;

/// The refusal of a command line or a batch script, in Slurm's words and with Slurm's exit code.
public final class InvalidOption extends Exception {

    /// How Slurm prefixes the lines.
    public enum Severity {
        /// `sbatch: error: `
        ERROR,
        /// `sbatch: fatal: `
        FATAL,
        /// `sbatch: `, with a line that points to `--help`: the command line itself is wrong.
        USAGE
    }

    private static final long serialVersionUID = 1;

    private final String before;
    private final Severity severity;
    private final String code;
    private final int exitCode;
    private final String message;

    private InvalidOption(Severity severity, String code, int exitCode, String message) {
        this(severity, code, exitCode, message, "");
    }

    private InvalidOption(
            Severity severity, String code, int exitCode, String message, String before) {
        super(message);
        this.before = before;
        this.severity = severity;
        this.code = code;
        this.exitCode = exitCode;
        this.message = message;
    }

    /// Refused for its form: exit code 255.
    public static InvalidOption malformed(String message) {
        return new InvalidOption(Severity.ERROR, "invalid_option", 255, message);
    }

    /// The same refusal, printed after a line that does not bear the command's name.
    InvalidOption after(String line) {
        return new InvalidOption(severity, code, exitCode, message, line + "\n");
    }

    /// Refused for its meaning: exit code 1.
    public static InvalidOption refused(String message) {
        return new InvalidOption(Severity.ERROR, "invalid_option", 1, message);
    }

    static InvalidOption fatal(String message) {
        return new InvalidOption(Severity.FATAL, "invalid_option", 1, message);
    }

    static InvalidOption usage(String message) {
        return new InvalidOption(Severity.USAGE, "invalid_option", 255, message);
    }

    static InvalidOption script(String message) {
        return new InvalidOption(Severity.ERROR, "invalid_script", 1, message);
    }

    static InvalidOption tooLarge(String message) {
        return new InvalidOption(Severity.ERROR, "script_too_large", 1, message);
    }

    /// Slurm's words, of one or several lines, without the command's name.
    @Override
    public String getMessage() {
        return message;
    }

    /// `invalid_option`, `invalid_script` or `script_too_large`.
    public String code() {
        return code;
    }

    /// 255 or 1.
    public int exitCode() {
        return exitCode;
    }

    public Severity severity() {
        return severity;
    }

    /// What the command of that name prints on standard error; each line ends in a newline.
    public String print(String command) {
        String prefix =
                switch (severity) {
                    case ERROR -> command + ": error: ";
                    case FATAL -> command + ": fatal: ";
                    case USAGE -> command + ": ";
                };
        var text = new StringBuilder(before);
        for (String line : message.split("\n")) {
            text.append(prefix).append(line).append('\n');
        }
        if (severity == Severity.USAGE) {
            text.append("Try \"").append(command).append(" --help\" for more information\n");
        }
        return text.toString();
    }
}
