package io.berth.log;

import io.quarkus.logging.LoggingFilter;
import java.util.Set;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jboss.logmanager.ExtLogRecord;

/// A log filter that lets every record pass and gives it what it is about as fields: those of
/// `run=17.1 node=n1 Run adopted` are `run`, `node` and `job`. JSON lines have them under `mdc`.
///
/// SLF4J's key-values reach the log manager as words before the message. Fields are made of those
/// that come first and name a thing, whose name has no spaces; what follows may be any text.
@LoggingFilter(name = "fields")
public final class LogFields implements Filter {

    private static final Pattern PAIR = Pattern.compile("\\G([a-z]+)=(\\S+) ");

    /// What has a name of its own. In a line they come before all else that it tells.
    public static final Set<String> THINGS =
            Set.of("job", "run", "node", "gpu", "cell", "round", "record");

    @Override
    public boolean isLoggable(LogRecord record) {
        if (record instanceof ExtLogRecord it && it.getMessage() != null) {
            Matcher pair = PAIR.matcher(it.getMessage());
            while (pair.find() && THINGS.contains(pair.group(1))) {
                String name = pair.group(2);
                it.putMdc(pair.group(1), name);
                if (pair.group(1).equals("run") && name.contains(".")) {
                    it.putMdc("job", name.substring(0, name.indexOf('.')));
                }
            }
        }
        return true;
    }
}
