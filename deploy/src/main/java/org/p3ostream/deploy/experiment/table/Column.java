package org.p3ostream.deploy.experiment.table;

/**
 * A column of a table.
 *
 * @param id name for machines
 * @param title heading for people
 * @param digits decimal digits that people are shown of numbers that are not whole
 */
public record Column(String id, String title, int digits) {

  static Column text(String id, String title) {
    return new Column(id, title, 0);
  }
}
