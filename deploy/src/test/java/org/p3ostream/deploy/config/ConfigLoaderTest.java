package org.p3ostream.deploy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.learner.config.DatasetConfig;
import org.p3ostream.learner.config.PromptsConfig;
import org.p3ostream.learner.config.RatioConfig.PolicyTemperature;

class ConfigLoaderTest {

  /** Every kind of value in one small record. */
  record Kinds(
      boolean flag,
      int number,
      long chunkBytes,
      int waitSeconds,
      Duration patience,
      double rate,
      String text,
      PolicyTemperature choice,
      List<String> texts,
      List<Long> numbers) {}

  record Root(Kinds kinds, Map<String, String> free) {}

  private static final Root DEFAULTS =
      new Root(
          new Kinds(
              false,
              1,
              2,
              3,
              Duration.ofSeconds(4),
              5,
              "six",
              PolicyTemperature.MODEL,
              List.of("seven"),
              List.of(8L)),
          Map.of("given", "yes"));

  @TempDir Path directory;

  @Test
  void loadGivesDefaultsWhenNothingIsSet() {
    assertThat(ConfigLoader.load(null, List.of())).isEqualTo(P3oConfig.defaults());
  }

  @Test
  void loadNamesPathNearestAndKnownKeysWhenAKeyIsUnknown() {
    assertThat(problems("dispatch:\n  maxStalenes: 2\n"))
        .containsExactly(
            "dispatch.maxStalenes: unknown key; did you mean maxStaleness?"
                + " (known here: groupsPerWindow, lockstep, maxStaleness, syncInterval,"
                + " timeoutSeconds, versionsBack)");
  }

  @Test
  void loadNamesUnknownSectionWhenNothingIsNear() {
    assertThat(problems("zebra: 1\n"))
        .singleElement()
        .asString()
        .startsWith("zebra: unknown key (known here: algorithm, audit, dispatch, kafka,");
  }

  @Test
  void loadTellsAllProblemsAtOnce() {
    assertThat(problems("learner:\n  stepz: 1\n  steps: many\nratio: yes\n"))
        .hasSize(3)
        .anySatisfy(p -> assertThat(p).startsWith("learner.stepz: unknown key"))
        .anySatisfy(p -> assertThat(p).isEqualTo("learner.steps: 'many' must be a whole number"))
        .anySatisfy(p -> assertThat(p).startsWith("ratio: 'true' must be a section"));
  }

  @Test
  void loadTellsBrokenRulesOfAllSections() {
    assertThat(problems("optimizer:\n  beta1: 2\ndispatch:\n  maxStaleness: -1\n"))
        .containsExactly(
            "dispatch.maxStaleness: -1 must be >= 0 policy versions",
            "optimizer.beta1: 2.0 must be in [0, 1)");
  }

  @Test
  void loadRefusesMoreOpenGroupsThanAStepEventHolds() {
    ConfigLoader.load(file("dispatch: {groupsPerWindow: 4096, maxStaleness: 1}"), List.of());
    assertThat(problems("dispatch: {groupsPerWindow: 4097, maxStaleness: 1}"))
        .singleElement()
        .asString()
        .startsWith(
            "dispatch.groupsPerWindow: 4097 times dispatch.maxStaleness (1) + 1 must be <= 8192");
  }

  @Test
  void loadRefusesToTrimWithOneCheckpointAlone() {
    assertThat(problems("trimming: {enabled: true}\nlearner: {checkpointsKept: 1}"))
        .singleElement()
        .asString()
        .startsWith("learner.checkpointsKept: 1 must be >= 2 while trimming.enabled is true");
    assertThat(problems("trimming: {enabled: true, everySteps: 0}"))
        .containsExactly("trimming.everySteps: 0 must be >= 1");
  }

  @Test
  void loadNamesFileAndLineWhenAKeyIsThereTwice() {
    assertThat(problems("run:\n  id: a\n  id: b\n"))
        .singleElement()
        .asString()
        .contains("config.yaml", "Duplicate", "'id'", "line 3");
  }

  @Test
  void loadNamesFileWhenItIsNoYaml() {
    assertThat(problems("run: [\n")).singleElement().asString().contains("config.yaml", "line");
  }

  @Test
  void loadNamesFileWhenItIsMissing() {
    assertThat(
            catchThrowableOfType(
                ConfigException.class,
                () -> ConfigLoader.load(directory.resolve("none.yaml"), List.of())))
        .hasMessageContaining("--config")
        .hasMessageContaining("none.yaml");
  }

  @Test
  void loadReadsUnits() {
    Kinds kinds =
        kinds("kinds:\n  chunkBytes: 16MiB\n  waitSeconds: 2m\n  patience: 500ms\n  rate: 1e-3\n");
    assertThat(kinds.chunkBytes()).isEqualTo(16 << 20);
    assertThat(kinds.waitSeconds()).isEqualTo(120);
    assertThat(kinds.patience()).isEqualTo(Duration.ofMillis(500));
    assertThat(kinds.rate()).isEqualTo(1e-3);
  }

  @Test
  void loadNamesRuleWhenAUnitIsMissingOrUnknown() {
    assertThat(
            problemsOfKinds("kinds:\n  patience: 5\n  chunkBytes: 5MiBB\n  waitSeconds: 5500ms\n"))
        .containsExactly(
            "kinds.patience: '5' must be a whole number with a unit: ms, s, m or h",
            "kinds.chunkBytes: '5MiBB' must be a number of bytes or a whole number with a unit:"
                + " B, KiB, MiB, GiB, kB, MB or GB",
            "kinds.waitSeconds: '5500ms' must be whole seconds");
  }

  @Test
  void loadReadsEnumsInAnyCase() {
    assertThat(kinds("kinds:\n  choice: sampling\n").choice())
        .isEqualTo(PolicyTemperature.SAMPLING);
    assertThat(kinds("kinds:\n  choice: SAMPLING\n").choice())
        .isEqualTo(PolicyTemperature.SAMPLING);
    assertThat(problemsOfKinds("kinds:\n  choice: other\n"))
        .containsExactly("kinds.choice: 'other' must be one of model, sampling");
  }

  @Test
  void loadReadsListsOfTexts() {
    assertThat(kinds("kinds:\n  texts: [\"\\n\", '#', \"a, b\"]\n").texts())
        .containsExactly("\n", "#", "a, b");
    assertThat(kinds("kinds:\n  texts: []\n").texts()).isEmpty();
    assertThat(kinds("kinds:\n  texts: [x]\n", "kinds.texts=[\"\\n\", \"]\"]").texts())
        .containsExactly("\n", "]");
  }

  @Test
  void loadNamesRuleWhenAListOfTextsIsNone() {
    assertThat(problemsOfKinds("kinds:\n  texts: '#'\n"))
        .containsExactly("kinds.texts: '#' must be a list of texts, for instance [\"a\", \"b\"]");
    assertThat(problemsOfKinds("kinds:\n  texts: [a, 1]\n"))
        .containsExactly("kinds.texts: '1' in the list must be text: put it in quotes");
    assertThat(problemsOfKinds("kinds:\n  texts:\n")).hasSize(1);
    assertThat(problemsOfKinds("", "kinds.texts=#", "kinds.texts.x=[]"))
        .containsExactly(
            "kinds.texts: '#' must be a list of texts, for instance [\"a\", \"b\"]",
            "kinds.texts.x: unknown key; kinds.texts is a single value");
    assertThat(problems("sampling:\n  stopStrings: [a, '']\n")).hasSize(1);
    assertThat(problems("sampling:\n  minP: 1\n"))
        .containsExactly("sampling.minP: 1.0 must be in [0, 1) (0 = off)");
  }

  @Test
  void loadNamesRuleWhenATypeIsWrong() {
    assertThat(
            problemsOfKinds(
                "kinds:\n  flag: maybe\n  number: 99999999999\n  text: [a]\n  rate: infinite\n"))
        .containsExactly(
            "kinds.flag: 'maybe' must be true or false",
            "kinds.number: '99999999999' must be at most 2147483647 in magnitude",
            "kinds.text: '[\"a\"]' must be a single value",
            "kinds.rate: 'infinite' must be a finite number");
  }

  @Test
  void loadRefusesAnEmptyValueWhereThereIsADefault() {
    assertThat(problemsOfKinds("kinds:\n  number:\n"))
        .containsExactly("kinds.number: must have a value");
  }

  @Test
  void loadTakesAnEmptySectionAsOneThatSetsNothing() {
    assertThat(kinds("kinds:\nfree:\n")).isEqualTo(DEFAULTS.kinds());
  }

  @Test
  void loadLetsOverridesWinInOrder() {
    assertThat(kinds("kinds:\n  number: 5\n", "kinds.number=6", "kinds.number=7").number())
        .isEqualTo(7);
  }

  @Test
  void loadTakesDottedNamesIntoAFreeMap() {
    Root root =
        ConfigLoader.load(
            DEFAULTS,
            Root.class,
            file("free:\n  ssl.protocol: TLS\n  linger.ms: 3\n"),
            List.of("free.sasl.mechanism=PLAIN"));
    assertThat(root.free())
        .isEqualTo(
            Map.of(
                "given",
                "yes",
                "ssl.protocol",
                "TLS",
                "linger.ms",
                "3",
                "sasl.mechanism",
                "PLAIN"));
  }

  @Test
  void loadNamesWhatIsWrongWithAnOverride() {
    assertThat(problemsOfKinds("", "kinds.number", "kinds=1", "kinds.number.x=1", "nope=1"))
        .containsExactly(
            "--set kinds.number: must be path=value",
            "kinds: is a section; name a key inside it",
            "kinds.number.x: unknown key; kinds.number is a single value",
            "nope: unknown key (known here: free, kinds)");
  }

  @Test
  void loadNamesBothSectionsWhenARuleSpansThem() {
    assertThat(problems("learner:\n  microBatchTokens: 8\nsampling:\n  maxResponseTokens: 9\n"))
        .singleElement()
        .asString()
        .startsWith("learner.microBatchTokens: 8 must be >= sampling.maxResponseTokens (9)");
  }

  @Test
  void loadRefusesKafkaPropertiesThatExactlyOnceRestsOn() {
    assertThat(problems("kafka:\n  isolation.level: read_uncommitted\n"))
        .singleElement()
        .asString()
        .startsWith("kafka.isolation.level: cannot be configured");
  }

  @Test
  void loadDoesNotShowASecretInAProblem() {
    assertThat(problems("registry:\n  password: [hunter2]\n"))
        .singleElement()
        .asString()
        .doesNotContain("hunter2");
  }

  @Test
  void loadRefusesWhatFollowsAListOrADocument() {
    assertThatThrownBy(
            () -> ConfigLoader.load(null, List.of("sampling.stopStrings=[\"a\"], [\"b\"]")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("sampling.stopStrings");
    assertThat(problems("run: {id: a}\n---\nrun: {id: b}\n"))
        .singleElement()
        .satisfies(
            problem ->
                assertThat(problem).endsWith(": must be one document, another begins (line 3)"));
  }

  @Test
  void loadNamesAFileThatIsMissingOrNoText() throws Exception {
    Path latin = Files.write(directory.resolve("latin.yaml"), new byte[] {(byte) 0xe4, '\n'});

    assertThatThrownBy(() -> ConfigLoader.load(directory.resolve("none.yaml"), List.of()))
        .hasMessageEndingWith("none.yaml: there is no such file");
    assertThatThrownBy(() -> ConfigLoader.load(latin, List.of()))
        .hasMessageEndingWith("latin.yaml: cannot be read: must be text in UTF-8");
  }

  @Test
  void loadReadsAListOfWholeNumbers() {
    assertThat(kinds("").numbers()).containsExactly(8L);
    assertThat(kinds("kinds: {numbers: [42, -1]}").numbers()).containsExactly(42L, -1L);
    assertThat(kinds("", "kinds.numbers=[1, 2]").numbers()).containsExactly(1L, 2L);
    assertThat(problemsOfKinds("kinds: {numbers: [1, 2.5]}"))
        .containsExactly("kinds.numbers: '2.5' in the list must be a whole number");
    assertThat(problemsOfKinds("kinds: {numbers: 7}"))
        .containsExactly("kinds.numbers: '7' must be a list of whole numbers, for instance [1, 2]");
  }

  @Test
  void readTakesADocumentOfAnotherKindFromAText() {
    Root root = ConfigLoader.read(DEFAULTS, Root.class, "a text", "kinds: {number: 9}");
    assertThat(root.kinds().number()).isEqualTo(9);
    assertThat(root.free()).isEqualTo(DEFAULTS.free());
    assertThat(
            catchThrowableOfType(
                ConfigException.class,
                () -> ConfigLoader.read(DEFAULTS, Root.class, "a text", "kinds: [")))
        .hasMessageStartingWith("a text: ");
  }

  @Test
  void loadReadsAListOfSectionsWithTheDefaultsOfAnEntry() {
    PromptsConfig prompts =
        ConfigLoader.load(
                file(
                    "prompts:\n  datasets:\n    - {name: sums, file: a.jsonl, weight: 3}\n"
                        + "    - {name: 2, file: b.jsonl, reward: numeric}\n"),
                List.of())
            .prompts();
    assertThat(prompts.file()).isNull();
    assertThat(prompts.all())
        .containsExactly(
            new DatasetConfig("sums", "a.jsonl", "exact-match", 3),
            new DatasetConfig("2", "b.jsonl", "numeric", 1));
  }

  @Test
  void loadLetsAnOverrideReplaceAList() {
    PromptsConfig prompts =
        ConfigLoader.load(
                file("prompts:\n  datasets: [{name: a, file: a}, {name: b, file: b}]\n"),
                List.of("prompts.datasets=[{name: c, file: 'c d.jsonl', weight: 0.5}]"))
            .prompts();
    assertThat(prompts.all())
        .containsExactly(new DatasetConfig("c", "c d.jsonl", "exact-match", 0.5));
  }

  @Test
  void loadNamesPathValueAndRuleInsideAList() {
    assertThat(
            problems(
                "prompts:\n  datasets:\n    - {name: a, fil: a.jsonl, weight: much}\n"
                    + "    - 7\n    - {name: c, weight: NaN}\n"))
        .containsExactly(
            "prompts.datasets[0].fil: unknown key; did you mean file?"
                + " (known here: file, name, reward, weight)",
            "prompts.datasets[0].weight: 'much' must be a finite number",
            "prompts.datasets[1]: '7' must be a section of keys and values",
            "prompts.datasets[2].weight: 'NaN' must be a finite number");
    assertThat(problems("prompts:\n  datasets: [{name: a, file: a, weight: -1}]\n"))
        .containsExactly("prompts.datasets[0].weight: -1.0 must be > 0 and finite");
    assertThat(problems("prompts:\n  datasets: [{name: a}]\n"))
        .containsExactly("prompts.datasets[0].file: '' must name a file");
    assertThat(problems("prompts:\n  datasets: []\n"))
        .containsExactly("prompts.datasets: [] must hold at least one data set");
    assertThat(problems("prompts:\n  datasets: a.jsonl\n"))
        .containsExactly("prompts.datasets: 'a.jsonl' must be a list of sections");
    assertThat(problems("prompts:\n  datasets: {name: a}\n"))
        .containsExactly("prompts.datasets: '{\"name\":\"a\"}' must be a list of sections");
    assertThat(problems("prompts:\n  datasets:\n"))
        .containsExactly("prompts.datasets: must have a value");
  }

  @Test
  void loadRefusesAListBesideTheKeysItStandsInsteadOfWhicheverComesFirst() {
    String rule = "prompts.datasets: cannot stand beside prompts.file: give one of the two";
    assertThat(problems("prompts: {file: a, datasets: [{name: a, file: a}]}\n"))
        .containsExactly(rule);
    assertThat(problems("prompts: {datasets: [{name: a, file: a}], file: a}\n"))
        .containsExactly(rule);
    assertThat(problems("prompts: {datasets: [{name: a, file: a}]}\n", "prompts.reward=regex"))
        .containsExactly(
            "prompts.datasets: cannot stand beside prompts.reward: give one of the two");
  }

  @Test
  void loadSaysThatAListIsOverriddenAsAWhole() {
    String yaml = "prompts: {datasets: [{name: a, file: a}]}\n";
    assertThat(
            problems(
                yaml,
                "prompts.datasets[0].weight=2",
                "prompts.datasets.weight=2",
                "prompts.datasets=[{name: a",
                "prompts.datasets=",
                "prompts.file[0]=1"))
        .satisfiesExactly(
            p ->
                assertThat(p)
                    .isEqualTo(
                        "prompts.datasets[0].weight: a list is given as a whole:"
                            + " prompts.datasets=[{...}, {...}]"),
            p -> assertThat(p).startsWith("prompts.datasets.weight: a list is given as a whole"),
            p -> assertThat(p).startsWith("prompts.datasets: '[{name: a' is not YAML: "),
            p -> assertThat(p).isEqualTo("prompts.datasets: must have a value"),
            p -> assertThat(p).startsWith("prompts.file[0]: unknown key"));
  }

  @Test
  void loadNamesTheKnownRewardsWhenOneIsUnknown() {
    assertThat(problems("prompts: {reward: exact}\n"))
        .containsExactly("prompts.reward: 'exact' must be one of exact-match, numeric, regex");
    assertThat(problems("prompts: {datasets: [{name: a, file: a, reward: exact}]}\n"))
        .containsExactly(
            "prompts.datasets[0].reward: 'exact' must be one of exact-match, numeric, regex");
  }

  private List<String> problems(String yaml, String... overrides) {
    return catchThrowableOfType(
            ConfigException.class, () -> ConfigLoader.load(file(yaml), List.of(overrides)))
        .problems();
  }

  private List<String> problemsOfKinds(String yaml, String... overrides) {
    return catchThrowableOfType(ConfigException.class, () -> kinds(yaml, overrides)).problems();
  }

  private Kinds kinds(String yaml, String... overrides) {
    return ConfigLoader.load(DEFAULTS, Root.class, file(yaml), List.of(overrides)).kinds();
  }

  private Path file(String yaml) {
    try {
      return Files.writeString(directory.resolve("config.yaml"), yaml);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
