package org.p3ostream.learner.dispatch;

import java.util.ArrayList;
import java.util.List;
import org.p3ostream.learner.config.DispatchConfig;
import org.p3ostream.schemas.avro.PromptTask;

/** Composes prompts: which policy version they ask for and where its manifest lies. */
public final class PromptComposer {
  private final DispatchConfig dispatch;
  private final PromptSchedule schedule;
  private final ManifestOffsets manifests;

  public PromptComposer(
      DispatchConfig dispatch, PromptSchedule schedule, ManifestOffsets manifests) {
    this.dispatch = dispatch;
    this.schedule = schedule;
    this.manifests = manifests;
  }

  /** First prompts of windows 0…η, which travel with version 0. */
  public List<PromptTask> opening() {
    List<PromptTask> prompts = new ArrayList<>();
    for (long window = 0; window <= dispatch.maxStaleness(); window++) {
      prompts.addAll(window(window, 0, -1));
    }
    return prompts;
  }

  /**
   * First prompts of the window that is dispatched when another is settled.
   *
   * @param settledWindow w − η − 1
   * @param versionInForce version after that
   * @param committedVersion newest version committed by an earlier transaction; that of a newer one
   *     lies nowhere yet
   */
  public List<PromptTask> after(long settledWindow, long versionInForce, long committedVersion) {
    return window(settledWindow + dispatch.maxStaleness() + 1, versionInForce, committedVersion);
  }

  /** Another prompt for an open group; the version that it asks for was committed before. */
  public PromptTask again(TopUps.TopUp topUp) {
    long version = topUp.policyVersion();
    return task(topUp.groupId(), topUp.attempt(), version, version);
  }

  private List<PromptTask> window(long window, long versionInForce, long committedVersion) {
    List<PromptTask> prompts = new ArrayList<>();
    for (int slot = 0; slot < dispatch.groupsPerWindow(); slot++) {
      long groupId = window * dispatch.groupsPerWindow() + slot;
      prompts.add(task(groupId, 0, dispatch.askedVersion(versionInForce), committedVersion));
    }
    return prompts;
  }

  private PromptTask task(long groupId, int attempt, long askedVersion, long committedVersion) {
    return schedule.task(
        groupId,
        attempt,
        new AskedVersion(
            askedVersion,
            dispatch.lockstep(),
            askedVersion <= committedVersion ? manifests.of(askedVersion) : null));
  }
}
