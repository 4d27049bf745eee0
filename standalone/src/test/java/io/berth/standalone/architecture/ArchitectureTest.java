package io.berth.standalone.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.berth.log.KafkaConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchitectureTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final String[] SERVICES = {
        "io.berth.submit..",
        "io.berth.priority..",
        "io.berth.placement..",
        "io.berth.accounting..",
        "io.berth.agent..",
        "io.berth.cli..",
        "io.berth.standalone.."
    };

    private static final Set<String> IMPURE_METHODS =
            Set.of(
                    "java.lang.System.currentTimeMillis",
                    "java.lang.System.nanoTime",
                    "java.lang.System.getenv",
                    "java.lang.System.getProperty",
                    "java.lang.Math.random",
                    "java.util.UUID.randomUUID",
                    "java.time.Clock.systemUTC",
                    "java.time.Clock.systemDefaultZone",
                    "java.time.Instant.now",
                    "java.time.LocalDate.now",
                    "java.time.LocalDateTime.now",
                    "java.time.ZonedDateTime.now",
                    "java.util.Collections.shuffle",
                    "java.util.Collection.parallelStream");

    private static final Set<String> CLIENTS =
            Set.of(
                    "org.apache.kafka.clients.admin.Admin",
                    "org.apache.kafka.clients.admin.AdminClient",
                    "org.apache.kafka.clients.consumer.KafkaConsumer",
                    "org.apache.kafka.clients.producer.KafkaProducer");

    /// What a native image cannot do without being told of what it finds, or at all.
    private static final Map<String, Set<String>> BLIND =
            Map.of(
                    "java.lang.Class",
                    Set.of(
                            "forName",
                            "newInstance",
                            "getConstructor",
                            "getConstructors",
                            "getDeclaredConstructor",
                            "getDeclaredConstructors",
                            "getField",
                            "getFields",
                            "getDeclaredField",
                            "getDeclaredFields",
                            "getMethod",
                            "getMethods",
                            "getDeclaredMethod",
                            "getDeclaredMethods"),
                    "java.lang.ClassLoader",
                    Set.of("loadClass", "defineClass", "getResources", "resources"),
                    "java.lang.invoke.MethodHandles$Lookup",
                    Set.of("findClass", "defineClass", "defineHiddenClass"),
                    "java.lang.reflect.Proxy",
                    Set.of("newProxyInstance"),
                    "java.util.ServiceLoader",
                    Set.of("load", "loadInstalled"));

    /// Who may, and why it works.
    private static final Set<String> TOLD =
            Set.of(
                    // Its metadata are compared with it: UnixSignalTest.
                    "io.berth.slurm.session.UnixSignal",
                    // It names the one class of Quarkus in an annotation.
                    "io.berth.submit.session.UpgradedRequest",
                    // Records and entities of our own packages, all of which an image keeps.
                    "io.berth.log.QueryNames",
                    "io.berth.accounting.db.Upsert");

    private final JavaClasses classes = importAllModules();

    private static JavaClasses importAllModules() {
        List<String> modules = modules();
        assertThat(modules).contains("contracts", "scheduling-core", "standalone");
        List<Path> folders =
                modules.stream()
                        .map(module -> ROOT.resolve(module).resolve("target/classes"))
                        .toList();
        for (Path folder : folders) {
            assertThat(folder).as("classes of a module").isDirectory();
            try (Stream<Path> files = Files.walk(folder)) {
                assertThat(files.anyMatch(file -> file.toString().endsWith(".class")))
                        .as("classes in " + folder)
                        .isTrue();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return new ClassFileImporter().importPaths(folders);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.berth.submit..",
                "io.berth.priority..",
                "io.berth.placement..",
                "io.berth.accounting..",
                "io.berth.agent..",
                "io.berth.cli..",
                "io.berth.standalone.."
            })
    void services_do_not_see_one_another(String service) {
        var others = Stream.of(SERVICES).filter(other -> !other.equals(service));

        noClasses()
                .that()
                .resideInAPackage(service)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others.toArray(String[]::new))
                .check(classes);
    }

    @Test
    void the_core_sees_only_contracts_and_plain_java() {
        classes()
                .that()
                .resideInAPackage("io.berth.core..")
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage("io.berth.core..", "io.berth.contracts..")
                                .or(plainJava()))
                .check(classes);
    }

    @Test
    void contracts_see_only_jackson_and_plain_java() {
        classes()
                .that()
                .resideInAPackage("io.berth.contracts..")
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(
                                        "io.berth.contracts..",
                                        "com.fasterxml.jackson..",
                                        "java.lang.reflect")
                                .or(plainJava()))
                .check(classes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"io.berth.core..", "io.berth.contracts.."})
    void pure_modules_read_no_clock_and_draw_no_random_numbers(String module) {
        noClasses()
                .that()
                .resideInAPackage(module)
                .should()
                .accessTargetWhere(describe("is a clock or random source", this::isImpure))
                .check(classes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"io.berth.log..", "io.berth.slurm.."})
    void leaf_libraries_see_only_contracts_of_berth(String library) {
        noClasses()
                .that()
                .resideInAPackage(library)
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.berth..")
                                .and(
                                        DescribedPredicate.not(
                                                resideInAnyPackage(
                                                        library, "io.berth.contracts.."))))
                .check(classes);
    }

    @Test
    void every_client_of_the_log_is_made_by_one_class_of_settings_that_all_services_share() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("io.berth.log.KafkaConnection")
                .and()
                .doNotHaveFullyQualifiedName("io.berth.log.KafkaConnection$Follower")
                .and()
                .resideOutsideOfPackage("io.berth.embedded..")
                .should()
                .accessTargetWhere(
                        describe(
                                "makes a client of Kafka's",
                                it ->
                                        CLIENTS.contains(it.getTargetOwner().getName())
                                                && Set.of("<init>", "create")
                                                        .contains(it.getTarget().getName())))
                .check(classes);
        noClasses()
                .that()
                .resideOutsideOfPackage("io.berth.log")
                .should()
                .callConstructor(KafkaConnection.class, String.class)
                .check(classes);
    }

    @Test
    void the_embedded_broker_and_database_see_nothing_of_berth() {
        noClasses()
                .that()
                .resideInAPackage("io.berth.embedded..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.berth..")
                                .and(
                                        DescribedPredicate.not(
                                                resideInAPackage("io.berth.embedded.."))))
                .check(classes);
    }

    @Test
    void packages_form_no_cycles() {
        slices().matching("io.berth.(**)").should().beFreeOfCycles().check(classes);
    }

    @Test
    void every_package_is_null_marked() {
        List<String> unmarked =
                classes.stream()
                        .map(JavaClass::getPackageName)
                        .distinct()
                        .filter(name -> !isNullMarked(name))
                        .toList();

        assertThat(unmarked).isEmpty();
    }

    /// So that a replay decides the same on any machine. Fair shares are ratios by their
    /// definition, and [io.berth.core.packing.FgdPaper] is a paper's policy as it was published.
    @Test
    void what_decides_reckons_in_whole_numbers() throws IOException {
        Path core = ROOT.resolve("scheduling-core/src/main/java/io/berth/core");
        var fraction = Pattern.compile("\\b(double|float|Double|Float)\\b");
        try (Stream<Path> files = Files.walk(core)) {
            List<Path> sources = files.filter(it -> it.toString().endsWith(".java")).toList();
            assertThat(sources).hasSizeGreaterThan(100);
            assertThat(sources)
                    .filteredOn(it -> !it.startsWith(core.resolve("fairshare")))
                    .filteredOn(it -> !it.endsWith("packing/FgdPaper.java"))
                    .filteredOn(it -> fraction.matcher(text(it)).find())
                    .isEmpty();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The broker, the database and the mesh on one machine are never native.
    @Test
    void nothing_is_found_by_name_or_made_at_run_time_of_which_a_native_image_is_not_told() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.berth.embedded..", "io.berth.standalone..")
                .and(describe("are not told of", it -> !TOLD.contains(it.getName())))
                .should()
                .accessTargetWhere(
                        describe(
                                "looks for classes or their members, or makes classes",
                                it ->
                                        BLIND.getOrDefault(it.getTargetOwner().getName(), Set.of())
                                                .contains(it.getTarget().getName())))
                .check(classes);
    }

    @Test
    void names_say_something() {
        var empty = Pattern.compile(".*(Manager|Helper|Utils?|Impl)");
        List<String> names =
                classes.stream()
                        .map(JavaClass::getSimpleName)
                        .filter(name -> empty.matcher(name).matches())
                        .toList();

        assertThat(names).isEmpty();
    }

    /// All modules but the benchmarks, which nobody is given and into which JMH generates classes.
    private static List<String> modules() {
        return Pattern.compile("<module>([^<]+)</module>")
                .matcher(text(ROOT.resolve("pom.xml")))
                .results()
                .map(found -> found.group(1))
                .filter(module -> !module.equals("benchmarks"))
                .filter(module -> Files.isDirectory(ROOT.resolve(module).resolve("src/main")))
                .toList();
    }

    private boolean isNullMarked(String name) {
        String packageInfo = name + ".package-info";
        return classes.contain(packageInfo)
                && classes.get(packageInfo).isAnnotatedWith(NullMarked.class);
    }

    private boolean isImpure(JavaAccess<?> access) {
        AccessTarget target = access.getTarget();
        return IMPURE_METHODS.contains(target.getOwner().getName() + "." + target.getName());
    }

    /// Values, collections, functions, text and arithmetic: no files, network, threads, random
    /// sources or loggers. Of `java.io` the exceptions only, of `java.util.concurrent` the units.
    private static DescribedPredicate<JavaClass> plainJava() {
        DescribedPredicate<JavaClass> values =
                resideInAnyPackage(
                        "java.lang",
                        "java.lang.annotation",
                        "java.lang.invoke",
                        "java.lang.runtime",
                        "java.math",
                        "java.nio",
                        "java.nio.charset",
                        "java.security",
                        "java.text",
                        "java.time..",
                        "java.util",
                        "java.util.function",
                        "java.util.regex",
                        "java.util.stream",
                        "java.util.zip",
                        "javax.crypto",
                        "javax.crypto.spec",
                        "org.jspecify.annotations");
        DescribedPredicate<JavaClass> units =
                describe(
                        "are exceptions or units",
                        type ->
                                type.isPrimitive()
                                        || type.isArray()
                                        || type.getName().equals("java.io.IOException")
                                        || type.getName().equals("java.io.UncheckedIOException")
                                        || type.getName().equals("java.io.Serializable")
                                        || type.getName().equals("java.util.concurrent.TimeUnit"));
        DescribedPredicate<JavaClass> impure =
                describe(
                        "are threads, processes or random sources",
                        type ->
                                type.isAssignableTo(java.util.random.RandomGenerator.class)
                                        || type.isAssignableTo(Thread.class)
                                        || type.isAssignableTo(ThreadLocal.class)
                                        || type.getName().equals("java.lang.ProcessBuilder")
                                        || type.getName().equals("java.lang.Runtime")
                                        || type.getName().equals("java.lang.System$Logger")
                                        || type.getName().equals("java.util.Timer")
                                        || type.getName().equals("java.util.Random"));
        return values.or(units).and(DescribedPredicate.not(impure)).as("are plain Java");
    }
}
