package org.p3ostream.tests.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.NullMarked;

/** The arrows between the modules, and what the inside of them may know. */
@AnalyzeClasses(packages = "org.p3ostream", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule arrowsBetweenModulesPointOneWay =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("schemas")
          .definedBy("org.p3ostream.schemas..")
          .layer("policy")
          .definedBy("org.p3ostream.policy..")
          .layer("rollout-producer")
          .definedBy("org.p3ostream.rolloutproducer..")
          .layer("learner")
          .definedBy("org.p3ostream.learner..")
          .layer("streams")
          .definedBy("org.p3ostream.streams..")
          .layer("deploy")
          .definedBy("org.p3ostream.deploy..")
          .whereLayer("deploy")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("learner")
          .mayOnlyBeAccessedByLayers("deploy")
          .whereLayer("rollout-producer")
          .mayOnlyBeAccessedByLayers("deploy")
          .whereLayer("streams")
          .mayOnlyBeAccessedByLayers("deploy")
          .whereLayer("policy")
          .mayOnlyBeAccessedByLayers("rollout-producer", "learner", "deploy")
          .whereLayer("schemas")
          .mayOnlyBeAccessedByLayers("rollout-producer", "learner", "streams", "deploy");

  /** In the order of the data: a window cut up, run forward, its losses, on replicas, as a step. */
  @ArchTest
  static final ArchRule arrowsOfAStepPointOneWay =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("batch")
          .definedBy("org.p3ostream.learner.batch..")
          .layer("forward")
          .definedBy("org.p3ostream.learner.forward..")
          .layer("loss")
          .definedBy("org.p3ostream.learner.loss..")
          .layer("replica")
          .definedBy("org.p3ostream.learner.replica..")
          .layer("train")
          .definedBy("org.p3ostream.learner.train..")
          .whereLayer("train")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("replica")
          .mayOnlyBeAccessedByLayers("train")
          .whereLayer("loss")
          .mayOnlyBeAccessedByLayers("replica", "train")
          .whereLayer("forward")
          .mayOnlyBeAccessedByLayers("loss", "replica", "train")
          .whereLayer("batch")
          .mayOnlyBeAccessedByLayers("forward", "loss", "replica", "train");

  /** A plan, what its runs came to, statistics over them, tables of all that, pages and files. */
  @ArchTest
  static final ArchRule arrowsOfAStudyPointOneWay =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("plan")
          .definedBy("org.p3ostream.deploy.experiment.plan..")
          .layer("outcome")
          .definedBy("org.p3ostream.deploy.experiment.outcome..")
          .layer("statistics")
          .definedBy("org.p3ostream.deploy.experiment.statistics..")
          .layer("table")
          .definedBy("org.p3ostream.deploy.experiment.table..")
          .layer("report")
          .definedBy("org.p3ostream.deploy.experiment.report..")
          .layer("run")
          .definedBy("org.p3ostream.deploy.experiment.run..")
          .whereLayer("run")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("report")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("table")
          .mayOnlyBeAccessedByLayers("report", "run")
          .whereLayer("statistics")
          .mayOnlyBeAccessedByLayers("table")
          .whereLayer("outcome")
          .mayOnlyBeAccessedByLayers("table", "report", "run");

  @ArchTest
  static final ArchRule packagesOfAModuleFormNoCycle =
      slices().matching("org.p3ostream.(*).(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule mathematicsKnowsTheJdkOnly =
      classes()
          .that()
          .resideInAPackage("org.p3ostream.learner.objective..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("java..", "org.p3ostream.learner.objective..", "org.jspecify..");

  @ArchTest
  static final ArchRule bookkeepingKnowsNoClientsAndNoClock =
      noClasses()
          .that()
          .resideInAnyPackage(
              "org.p3ostream.learner.audit..",
              "org.p3ostream.learner.window..",
              "org.p3ostream.learner.dispatch..",
              "org.p3ostream.learner.objective..",
              "org.p3ostream.schemas.ratio..",
              "org.p3ostream.schemas.snapshot..",
              "org.p3ostream.rolloutproducer.backlog..",
              "org.p3ostream.deploy.experiment.plan..",
              "org.p3ostream.deploy.experiment.outcome..",
              "org.p3ostream.deploy.experiment.statistics..",
              "org.p3ostream.deploy.experiment.table..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("ai.djl..", "java.net..", "java.nio.file..")
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Consumer.class)
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Producer.class)
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Admin.class)
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Clock.class);

  @ArchTest
  static final ArchRule onlyDeployReadsTheEnvironment =
      noClasses()
          .that()
          .resideOutsideOfPackage("org.p3ostream.deploy..")
          .should()
          .callMethod(System.class, "getenv", String.class)
          .orShould()
          .callMethod(System.class, "getenv");

  @ArchTest
  static final ArchRule onlyDeployBuildsClients =
      noClasses()
          .that()
          .resideOutsideOfPackages("org.p3ostream.deploy..", "org.p3ostream.streams..")
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("org.apache.kafka.clients.producer.KafkaProducer")
          .orShould()
          .dependOnClassesThat()
          .haveFullyQualifiedName("org.apache.kafka.clients.consumer.KafkaConsumer");

  @ArchTest
  static final ArchRule nothingIsCalledUtil =
      noClasses().should().resideInAnyPackage("..util..", "..utils..", "..common..", "..helper..");

  @ArchTest
  static final ArchRule everyPackageIsNullMarked =
      classes()
          .that()
          .resideOutsideOfPackage("org.p3ostream.schemas.avro")
          .should(
              com.tngtech.archunit.lang.ArchCondition.from(
                  com.tngtech.archunit.base.DescribedPredicate.describe(
                      "reside in a @NullMarked package",
                      type -> type.getPackage().isAnnotatedWith(NullMarked.class))));
}
