package org.p3ostream.streams.state;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one producer published, since it was first seen or came back from a long silence, and what
 * was trained of it lately. All counts of what was published are whole numbers, so that they do not
 * depend on the order in which partitions were read; sums of rewards are taken in the order of the
 * ledger.
 *
 * @param groups records published, failures among them
 * @param responses responses published, aborted ones left out
 * @param tokens tokens of these
 * @param failures records in which the producer gave a group up
 * @param firstAt event time of the oldest record, milliseconds since the epoch
 * @param lastAt event time of the newest record
 * @param buckets what was published in each of the last ten-second intervals of event time,
 *     ascending; intervals without a record are left out
 * @param trained of the block of windows that is going on; null before the first
 * @param trainedBefore of the block before it; null if nothing was trained in that
 */
public record ProducerFigures(
    long groups,
    long responses,
    long tokens,
    long failures,
    long firstAt,
    long lastAt,
    List<Bucket> buckets,
    @Nullable TrainedFigures trained,
    @Nullable TrainedFigures trainedBefore) {

  /** Length of an interval, milliseconds. */
  public static final long BUCKET_MS = 10_000;

  /** Intervals kept: enough to look back 60 s from anywhere in the newest one. */
  static final int BUCKETS = 7;

  /** Span of the rates, milliseconds. */
  public static final long RATE_SPAN_MS = 60_000;

  /** Of a producer that nothing was heard of. */
  public static final ProducerFigures NONE =
      new ProducerFigures(0, 0, 0, 0, Long.MAX_VALUE, Long.MIN_VALUE, List.of(), null, null);

  public ProducerFigures {
    buckets = List.copyOf(buckets);
  }

  /**
   * An interval of event time.
   *
   * @param start its beginning, milliseconds since the epoch, a multiple of {@link #BUCKET_MS}
   * @param groups records published in it
   * @param tokens tokens of these
   */
  public record Bucket(long start, long groups, long tokens) {}

  /** Records and tokens per second. */
  public record Rate(double groupsPerSecond, double tokensPerSecond) {
    /** Of a producer that publishes nothing. */
    public static final Rate NONE = new Rate(0, 0);
  }

  /**
   * After a further record; one that is older than all intervals kept counts in the totals only.
   */
  public ProducerFigures published(
      int moreResponses, long moreTokens, boolean failed, long eventTime) {
    return new ProducerFigures(
        groups + 1,
        responses + moreResponses,
        tokens + moreTokens,
        failures + (failed ? 1 : 0),
        Math.min(firstAt, eventTime),
        Math.max(lastAt, eventTime),
        withRecord(Math.floorDiv(eventTime, BUCKET_MS) * BUCKET_MS, moreTokens),
        trained,
        trainedBefore);
  }

  private List<Bucket> withRecord(long start, long moreTokens) {
    List<Bucket> all = new ArrayList<>(buckets.size() + 1);
    Bucket changed = new Bucket(start, 1, moreTokens);
    boolean placed = false;
    for (Bucket bucket : buckets) {
      if (bucket.start() == start) {
        all.add(new Bucket(start, bucket.groups() + 1, bucket.tokens() + moreTokens));
        placed = true;
      } else {
        if (!placed && bucket.start() > start) {
          all.add(changed);
          placed = true;
        }
        all.add(bucket);
      }
    }
    if (!placed) {
      all.add(changed);
    }
    long oldest = all.get(all.size() - 1).start() - (BUCKETS - 1) * BUCKET_MS;
    all.removeIf(bucket -> bucket.start() < oldest);
    return all;
  }

  /** After {@code more} of its groups were trained. */
  public ProducerFigures trained(TrainedFigures more) {
    if (trained == null || trained.block() < more.block()) {
      boolean adjacent = trained != null && trained.block() == more.block() - 1;
      return withTrained(more, adjacent ? trained : null);
    }
    return withTrained(trained.plus(more), trainedBefore);
  }

  private ProducerFigures withTrained(TrainedFigures newest, @Nullable TrainedFigures before) {
    return new ProducerFigures(
        groups, responses, tokens, failures, firstAt, lastAt, buckets, newest, before);
  }

  /**
   * What was trained of it in the blocks that {@code block} is the newest of; null for nothing: it
   * may have been silent for longer.
   */
  public @Nullable TrainedFigures lately(long block) {
    if (trained == null || trained.block() < block - 1) {
      return null;
    }
    return trained.block() == block && trainedBefore != null
        ? trained.plus(trainedBefore)
        : trained;
  }

  /**
   * Rates over the last 60 s of event time before {@code now}, in whole intervals: over 50 to 60 s,
   * or since the first record if that is less, and never over less than one interval.
   */
  public Rate rate(long now) {
    long newest = Math.floorDiv(now, BUCKET_MS) * BUCKET_MS;
    long from = newest - (RATE_SPAN_MS - BUCKET_MS);
    long seenGroups = 0;
    long seenTokens = 0;
    for (Bucket bucket : buckets) {
      if (bucket.start() >= from) {
        seenGroups += bucket.groups();
        seenTokens += bucket.tokens();
      }
    }
    double seconds = Math.max(BUCKET_MS, now - Math.max(from, firstAt)) / 1000.0;
    return new Rate(seenGroups / seconds, seenTokens / seconds);
  }
}
