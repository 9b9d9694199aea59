package org.p3ostream.deploy.workdirectory;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends this process's log to a file, so that the terminal is left to progress and summary. */
public final class ProcessLog implements AutoCloseable {

  private final FileAppender<ILoggingEvent> appender = new FileAppender<>();

  private ProcessLog() {}

  /** From here on everything goes to {@code file}, which is appended to. */
  public static ProcessLog redirectTo(Path file) {
    ProcessLog log = new ProcessLog();
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%d{HH:mm:ss.SSS} %-5level [%thread] %logger{20}: %msg%n");
    encoder.start();
    log.appender.setContext(context);
    log.appender.setFile(file.toString());
    log.appender.setEncoder(encoder);
    log.appender.start();
    ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.detachAndStopAllAppenders();
    root.addAppender(log.appender);
    return log;
  }

  @Override
  public void close() {
    appender.stop();
  }
}
