package org.p3ostream.tests.streams;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.registry.RegistryAvroDeserializer;
import org.p3ostream.schemas.registry.RegistryAvroSerializer;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.streams.config.StreamsConfig;
import org.p3ostream.streams.config.StreamsSettings;
import org.p3ostream.streams.runtime.MetricsService;
import org.p3ostream.streams.runtime.StreamsClients;
import org.p3ostream.tests.support.Markers;

/** The topics of one run on a local stack, and the services that read them. */
public final class MetricsRun {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final String bootstrapServers;
  private final String registryUrl;
  private final TopicCatalogue topics;

  public MetricsRun(LocalStack stack, TopicCatalogue topics) {
    this(stack.bootstrapServers(), stack.registryUrl(), topics);
  }

  public MetricsRun(String bootstrapServers, String registryUrl, TopicCatalogue topics) {
    this.bootstrapServers = bootstrapServers;
    this.registryUrl = registryUrl;
    this.topics = topics;
  }

  public String bootstrapServers() {
    return bootstrapServers;
  }

  public TopicCatalogue topics() {
    return topics;
  }

  public void createTopics() throws ExecutionException, InterruptedException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
      admin.createTopics(topics.all().stream().map(MetricsRun::newTopic).toList()).all().get();
    }
  }

  private static NewTopic newTopic(TopicSpec topic) {
    return new NewTopic(topic.name(), topic.partitions(), (short) 1).configs(topic.settings());
  }

  public RecordCodec codec() {
    return RecordCodec.create(
        RegistryAvroSerializer.class.getName(),
        RegistryAvroDeserializer.class.getName(),
        Map.of("schema.registry.url", registryUrl));
  }

  /** Not started; on a free port. */
  public MetricsService service(
      Path stateDirectory, String applicationId, PrometheusMeterRegistry registry) {
    StreamsConfig config =
        new StreamsConfig("127.0.0.1", 0, stateDirectory.toString(), applicationId, 1, 30);
    return new MetricsService(
        new StreamsSettings(LedgerEvents.RUN, topics.prefix(), config),
        new StreamsClients(Map.of("bootstrap.servers", bootstrapServers), this::codec),
        registry);
  }

  /** Committed points from these offsets on, each partition in its order. */
  List<MetricPoint> points(Map<TopicPartition, Long> from) {
    List<MetricPoint> points = new ArrayList<>();
    try (RecordCodec codec = codec();
        KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      consumer.assign(partitions());
      from.forEach(consumer::seek);
      Map<TopicPartition, Long> end = end();
      while (partitions().stream().anyMatch(p -> consumer.position(p) < end.get(p))) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          Decoded decoded = codec.decode(record.topic(), record.value());
          points.add((MetricPoint) ((Decoded.Accepted) decoded).record());
        }
      }
    }
    return points;
  }

  Map<TopicPartition, Long> beginning() {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
      return consumer.beginningOffsets(partitions());
    }
  }

  /** Behind all that was written: a commit returns before its markers are. */
  Map<TopicPartition, Long> end() {
    return Markers.written(bootstrapServers, partitions());
  }

  private List<TopicPartition> partitions() {
    return IntStream.range(0, topics.metrics().partitions())
        .mapToObj(partition -> new TopicPartition(topics.metrics().name(), partition))
        .toList();
  }

  private KafkaConsumer<byte[], byte[]> consumer() {
    return new KafkaConsumer<>(
        Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_committed"),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  /** What a service on {@code port} answers. */
  public static HttpResponse<String> get(int port, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    return HTTP.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }
}
