package org.p3ostream.deploy.top;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.net.URI;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.LongStream;
import org.jline.utils.WCWidth;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopScreenTest {

  private static final long NOW = 1_000_000;
  private static final JsonNode NONE = MissingNode.getInstance();

  private final TopScreen screen =
      new TopScreen(URI.create("http://127.0.0.1:8089/"), ZoneOffset.UTC, true);

  @Test
  void figuresOfTheNewestStepsStandUnderTheirNames() {
    List<String> lines = screen.render(full(), 120, 40);
    assertThat(lines.get(0))
        .isEqualTo(
            "p3o top  run demo  live  step 29  version 30  p3o/step/exact  1 s ago  00:16:40 "
                + " http://127.0.0.1:8089/");
    assertThat(lines)
        .anyMatch(line -> line.matches("reward +0.290 +▁.*█"))
        .anyMatch(line -> line.matches("ESS +0.950 +▁+"))
        .contains(
            "alerts      none",
            "cap         none",
            "staleness   mean 1.00, p95 2, max 3 versions",
            "lag         33 records, 2 windows, 1.5 s",
            "throughput  1000 tokens/s trained, 0.500 s a step",
            "phases, ms  wait 32.0, pre-pass 20.0, update 18.0, encode 1.0, commit 16.0, checkpoint"
                + " 0.0",
            "latency     dispatched to sampled p50 0.10, p95 0.50, max 1.00 s",
            "dead letters 3: NON_FINITE 2, STALE 1")
        .anyMatch(line -> line.matches("a\\\\u001b\\[2J +7 +1.5 +100 +0.50 +0.250 +2 s"));
  }

  @Test
  void whatIsNotKnownIsADash() {
    List<String> lines = screen.render(of(steps(1), NONE, NONE, NONE, NONE, NONE), 100, 40);
    assertThat(lines)
        .contains("lag         - records, - windows, - s", "producers   not known yet")
        .noneMatch(line -> line.contains("NaN") || line.startsWith("latency"));
  }

  @Test
  void aServerWithoutARunIsShown() {
    List<String> lines =
        screen.render(
            new RunSnapshot(
                NOW,
                "",
                List.of("topics: waiting for p3o.steps"),
                NONE,
                NONE,
                List.of(),
                NONE,
                NONE,
                NONE,
                NONE),
            100,
            40);
    assertThat(lines.get(0)).contains("run ?", "no step yet");
    assertThat(lines.get(1)).isEqualTo("alerts      not ready: topics: waiting for p3o.steps");
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 40, 79, 200})
  void noLineIsWiderThanTheScreenAndThereAreNoMoreThanItHas(int columns) {
    List<String> lines = screen.render(full(), columns, 9);
    assertThat(lines).hasSize(9).allMatch(line -> width(line) <= columns);
  }

  @Test
  void wideCharactersAreCutByColumns() {
    assertThat(TopScreen.cut("a漢字b", 4)).isEqualTo("a漢");
    assertThat(TopScreen.cut("abc", 3)).isEqualTo("abc");
  }

  @Test
  void curveIsOfAsciiWhereTheTerminalIs() {
    assertThat(Sparkline.of(new double[] {9, 0, 1, 2}, 3, false)).isEqualTo("_=#");
    assertThat(Sparkline.of(new double[] {1, 1}, 5, true)).isEqualTo("▁▁");
    assertThat(Sparkline.of(new double[] {1, 1}, -3, true)).isEmpty();
  }

  @Test
  void alertsAreThoseOfTheServerThatFire() {
    RunSnapshot run =
        new RunSnapshot(
            NOW,
            "r",
            List.of("streams: REBALANCING"),
            NONE,
            json(
                "{'alerts':[{'title':'ESS','state':'FIRING','detail':'0.1"
                    + " of\\u001b'},{'title':'Stale','state':'OK'},"
                    + "{'title':'Silent','state':'UNKNOWN'}]}"),
            steps(2),
            NONE,
            NONE,
            NONE,
            NONE);
    assertThat(Alerts.line(run)).isEqualTo("ESS: 0.1 of\\u001b; not ready: streams: REBALANCING");
    assertThat(Alerts.line(full())).isEqualTo("none");
    assertThat(Alerts.line(of(steps(1), NONE, NONE, NONE, NONE, NONE))).isEqualTo("not known yet");
  }

  private static RunSnapshot full() {
    return of(
        steps(30),
        json("{'runs':[{'state':'live'}]}"),
        json(
            "{'producers':[{'producerId':'a\\u001b[2J','groups':7,'groupsPerSecond':1.5,'tokensPerSecond':100,"
                + "'silentSeconds':2,'stalenessMean':0.5,'rewardMean':0.25}]}"),
        json("{'lagRecords':33,'lagWindows':2,'lagSeconds':1.5}"),
        json(
            "{'stages':[{'stage':'dispatched_to_sampled','p50Seconds':0.1,'p95Seconds':0.5,'maxSeconds':1}]}"),
        json(
            "{'total':3,'reasons':[{'reason':'NON_FINITE','count':2},{'reason':'STALE','count':1}]}"));
  }

  private static RunSnapshot of(
      List<JsonNode> steps,
      JsonNode run,
      JsonNode producers,
      JsonNode staleness,
      JsonNode latencies,
      JsonNode deadLetters) {
    return new RunSnapshot(
        NOW,
        "demo",
        List.of(),
        run,
        run.isMissingNode() ? NONE : json("{'alerts':[]}"),
        steps,
        producers,
        staleness,
        latencies,
        deadLetters);
  }

  private static List<JsonNode> steps(int count) {
    return LongStream.range(0, count).mapToObj(i -> step(i, 0.95, 0.01 * i)).toList();
  }

  private static JsonNode step(long step, double ess, double reward) {
    return json(
        ("{'step':%d,'policyVersion':%d,'algorithm':'p3o/step/exact','stepMillis':500,'committedAt':%d,"
                + "'phases':{'waitMillis':32,'prePassMillis':20,'updateMillis':18,'encodeMillis':1,"
                + "'previousCommitMillis':16,'previousCheckpointMillis':0},'training':{'rewardMean':%s,"
                + "'normalizedEss':%s,'adaptiveCap':null,'gradNorm':1,'validTokens':500,'stalenessMean':1,"
                + "'stalenessP95':2,'stalenessMax':3,'behaviorKlProxyMean':0.001}}")
            .formatted(step, step + 1, NOW - 1000, reward, ess));
  }

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }

  private static int width(String line) {
    return line.codePoints().map(WCWidth::wcwidth).sum();
  }
}
