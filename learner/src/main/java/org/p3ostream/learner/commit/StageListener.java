package org.p3ostream.learner.commit;

/** Told when a learner enters and leaves a stage; by the thread that does the work. */
public interface StageListener {

  /** Takes no notice. */
  StageListener NONE =
      new StageListener() {
        @Override
        public void before(Stage stage) {}

        @Override
        public void after(Stage stage) {}
      };

  void before(Stage stage);

  /** Not told if the stage failed. */
  void after(Stage stage);
}
