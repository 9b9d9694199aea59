package org.p3ostream.tests.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.deploy.stack.ChildProcess;

/** What the brokers say of a run that did not come back: who holds back the readers of what. */
final class Diagnosis {

  private Diagnosis() {}

  /** Writes it down; that it fails must not hide what went wrong. */
  static void write(Path directory, Admin admin, List<ChildProcess> children) {
    Path file = directory.resolve("diagnosis.txt");
    children.forEach(child -> threads(directory, child));
    List<String> lines = new ArrayList<>();
    try {
      transactions(admin, lines);
      partitions(admin, lines);
      groups(admin, lines);
    } catch (ExecutionException | RuntimeException e) {
      lines.add("the brokers do not say more: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      Files.write(file, lines);
    } catch (IOException e) {
      System.out.println(String.join("\n", lines));
    }
  }

  private static void threads(Path directory, ChildProcess child) {
    try {
      new ProcessBuilder(
              Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
              Long.toString(child.pid()),
              "Thread.print")
          .redirectErrorStream(true)
          .redirectOutput(directory.resolve(child.name() + "-threads.txt").toFile())
          .start()
          .waitFor();
    } catch (IOException e) {
      System.out.println("no threads of " + child.name() + ": " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void transactions(Admin admin, List<String> lines)
      throws ExecutionException, InterruptedException {
    for (TransactionListing listing : admin.listTransactions().all().get()) {
      lines.add(
          listing
              + " "
              + admin
                  .describeTransactions(List.of(listing.transactionalId()))
                  .all()
                  .get()
                  .get(listing.transactionalId()));
    }
  }

  private static void partitions(Admin admin, List<String> lines)
      throws ExecutionException, InterruptedException {
    Map<String, TopicDescription> topics =
        new TreeMap<>(
            admin
                .describeTopics(
                    admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get())
                .allTopicNames()
                .get());
    for (TopicDescription topic : topics.values()) {
      for (int partition = 0; partition < topic.partitions().size(); partition++) {
        TopicPartition place = new TopicPartition(topic.name(), partition);
        long visible = end(admin, place, IsolationLevel.READ_COMMITTED);
        long written = end(admin, place, IsolationLevel.READ_UNCOMMITTED);
        lines.add("%s visible to %d, written to %d".formatted(place, visible, written));
        for (ProducerState producer :
            admin.describeProducers(List.of(place)).all().get().get(place).activeProducers()) {
          if (producer.currentTransactionStartOffset().isPresent()) {
            lines.add("    open: " + producer);
          }
        }
      }
    }
  }

  private static void groups(Admin admin, List<String> lines)
      throws ExecutionException, InterruptedException {
    for (GroupListing group : admin.listGroups().all().get()) {
      String id = group.groupId();
      lines.add(group.toString());
      admin
          .describeConsumerGroups(List.of(id))
          .all()
          .get()
          .values()
          .forEach(description -> lines.add("    " + description));
      admin
          .listConsumerGroupOffsets(id)
          .partitionsToOffsetAndMetadata()
          .get()
          .forEach((partition, offset) -> lines.add("    " + partition + " " + offset));
    }
  }

  private static long end(Admin admin, TopicPartition partition, IsolationLevel isolation)
      throws ExecutionException, InterruptedException {
    return admin
        .listOffsets(Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(isolation))
        .partitionResult(partition)
        .get()
        .offset();
  }
}
