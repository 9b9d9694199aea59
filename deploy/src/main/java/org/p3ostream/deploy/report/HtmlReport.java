package org.p3ostream.deploy.report;

/** A report as one HTML page that loads nothing: styles, scripts and data are in it. */
public final class HtmlReport {

  private HtmlReport() {}

  /** The page. */
  public static String render(RunReport report) {
    return HtmlTemplate.fill(HtmlReport.class, "report.html", "report.js", ReportJson.of(report));
  }
}
