package org.p3ostream.deploy.experiment.report;

import org.p3ostream.deploy.experiment.table.Study;

/** The report as a page. */
final class StudyPage {

  private StudyPage() {}

  static String of(Study study) {
    return "<!doctype html><title>" + study.plan().name() + "</title>";
  }
}
