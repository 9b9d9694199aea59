package org.p3ostream.tests.support;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.rolloutproducer.runtime.ProducerClients;
import org.p3ostream.schemas.topic.RecordKeys;

/**
 * The view of a producer whose weights arrive while a group is sampled, in a run with one group per
 * window: the group of window w begins with version w − late and may go on with the next one. It
 * gets its prompt once version w exists, so that nothing else is in hand, and the version that is
 * due with the second poll after that, when sampling has begun. Confined to the producer's thread.
 */
public final class LateWeights {

  private final int late;
  private final List<ConsumerRecord<byte[], byte[]>> prompts = new ArrayList<>(); // not yet given
  private final List<ConsumerRecord<byte[], byte[]>> snapshots = new ArrayList<>(); // not yet given
  private long existing = -1; // newest version in the topic
  private long due; // newest version that may be given
  private long given; // newest version that was
  private int pollsSincePrompt;

  private LateWeights(int late) {
    this.late = late;
  }

  /**
   * The same clients with this view.
   *
   * @param late versions, from 1 to η
   */
  public static ProducerClients of(ProducerClients clients, int late) {
    LateWeights view = new LateWeights(late);
    return new ProducerClients(
        clients.admin(),
        clients.producer(),
        polling(clients.prompts(), view::prompts),
        polling(clients.snapshots(), view::snapshots),
        clients.codec());
  }

  private ConsumerRecords<byte[], byte[]> prompts(ConsumerRecords<byte[], byte[]> polled) {
    polled.forEach(prompts::add);
    return taken(
        prompts,
        polled,
        window -> {
          if (window > existing) {
            return false;
          }
          due = Math.max(0, window - late + 1);
          pollsSincePrompt = 0;
          return true;
        });
  }

  private ConsumerRecords<byte[], byte[]> snapshots(ConsumerRecords<byte[], byte[]> polled) {
    polled.forEach(snapshots::add);
    snapshots.forEach(record -> existing = Math.max(existing, number(record)));
    pollsSincePrompt++;
    if (pollsSincePrompt > 1) {
      given = Math.max(given, due);
    }
    return taken(snapshots, polled, version -> version <= given);
  }

  private static ConsumerRecords<byte[], byte[]> taken(
      List<ConsumerRecord<byte[], byte[]>> waiting,
      ConsumerRecords<byte[], byte[]> polled,
      LongPredicate isTaken) {
    Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> taken = new HashMap<>();
    for (Iterator<ConsumerRecord<byte[], byte[]>> each = waiting.iterator(); each.hasNext(); ) {
      ConsumerRecord<byte[], byte[]> record = each.next();
      if (isTaken.test(number(record))) {
        taken
            .computeIfAbsent(
                new TopicPartition(record.topic(), record.partition()), by -> new ArrayList<>())
            .add(record);
        each.remove();
      }
    }
    return new ConsumerRecords<>(taken, polled.nextOffsets());
  }

  private static long number(ConsumerRecord<byte[], byte[]> record) {
    return RecordKeys.number(record.key()).orElseThrow();
  }

  @SuppressWarnings("unchecked")
  private static Consumer<byte[], byte[]> polling(
      Consumer<byte[], byte[]> consumer, UnaryOperator<ConsumerRecords<byte[], byte[]>> view) {
    return (Consumer<byte[], byte[]>)
        Proxy.newProxyInstance(
            LateWeights.class.getClassLoader(),
            new Class<?>[] {Consumer.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(consumer, arguments);
                return result instanceof ConsumerRecords<?, ?> polled
                    ? view.apply((ConsumerRecords<byte[], byte[]>) polled)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
