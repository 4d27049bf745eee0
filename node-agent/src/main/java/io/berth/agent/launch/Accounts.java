package io.berth.agent.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Under which account the script of a user runs on this machine.
public sealed interface Accounts {

    /// Whether what a user's job may leave in the spool is bounded.
    boolean bounded();

    /// @throws LaunchRefused if that user's jobs cannot run here
    Account of(String user) throws LaunchRefused, IOException, InterruptedException;

    /// All scripts run under the account of the agent itself.
    record Own(Account account) implements Accounts {

        @Override
        public boolean bounded() {
            return false;
        }

        /// Of this process.
        public static Own ofThisProcess() throws IOException {
            Path self = Path.of("/proc/self");
            return new Own(
                    Account.own(
                            (Integer) Files.getAttribute(self, "unix:uid"),
                            (Integer) Files.getAttribute(self, "unix:gid"),
                            System.getProperty("user.home", "/")));
        }

        @Override
        public Account of(String user) {
            return account;
        }
    }

    /// Each script runs under the account that has its user's name. Such an account is looked up
    /// wherever the machine looks accounts up, and is taken to be so for ten seconds: two programs
    /// have to be called for that, and the tasks of an array come together.
    final class OfUsers implements Accounts {

        private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(10);
        private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_.@-]*");
        private static final Duration LIMIT = Duration.ofSeconds(20);
        private static final int NAME_FIELD = 0;
        private static final int UID_FIELD = 2;
        private static final int GID_FIELD = 3;
        private static final int HOME_FIELD = 5;
        private static final int FIELDS = 7;

        /// @param at when it was looked up, in nanoseconds of the JVM's clock
        private record Known(Account account, long at) {

            boolean still() {
                return System.nanoTime() - at < KNOWN_NANOS;
            }
        }

        private final Commands commands;
        private final boolean bounded;
        private final Map<String, Known> known = new ConcurrentHashMap<>();

        public OfUsers(Commands commands, boolean bounded) {
            this.commands = commands;
            this.bounded = bounded;
        }

        @Override
        public boolean bounded() {
            return bounded;
        }

        @Override
        public Account of(String user) throws LaunchRefused, IOException, InterruptedException {
            Known last = known.get(user);
            if (last != null && last.still()) {
                return last.account();
            }
            known.values().removeIf(it -> !it.still());
            long now = System.nanoTime();
            Account account = lookUp(user);
            known.put(user, new Known(account, now));
            return account;
        }

        private Account lookUp(String user)
                throws LaunchRefused, IOException, InterruptedException {
            if (!NAME.matcher(user).matches()) {
                throw new LaunchRefused("'" + user + "' is no name of an account");
            }
            var found = commands.run(List.of("getent", "passwd", user), LIMIT);
            String[] fields = found.output().strip().split(":", -1);
            if (found.status() != 0
                    || fields.length != FIELDS
                    || !fields[NAME_FIELD].equals(user)) {
                throw new LaunchRefused("there is no account '" + user + "' on this node");
            }
            long uid = Long.parseLong(fields[UID_FIELD]);
            if (uid == 0) {
                throw new LaunchRefused("jobs of '" + user + "', who is root, are not run");
            }
            return new Account(
                    uid, Long.parseLong(fields[GID_FIELD]), groups(user), fields[HOME_FIELD], true);
        }

        private List<Long> groups(String user)
                throws LaunchRefused, IOException, InterruptedException {
            var found = commands.run(List.of("id", "-G", "--", user), LIMIT);
            if (found.status() != 0 || !found.output().matches("[0-9]+( [0-9]+)*\\n")) {
                throw new LaunchRefused("the groups of '" + user + "' are not known on this node");
            }
            return Stream.of(found.output().strip().split(" ")).map(Long::valueOf).toList();
        }
    }
}
