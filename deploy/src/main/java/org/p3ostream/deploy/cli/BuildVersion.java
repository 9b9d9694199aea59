package org.p3ostream.deploy.cli;

import picocli.CommandLine.IVersionProvider;

/** Version of this build, from the manifest of its jar. */
final class BuildVersion implements IVersionProvider {

  @Override
  public String[] getVersion() {
    String version = BuildVersion.class.getPackage().getImplementationVersion();
    return new String[] {"p3o " + (version == null ? "(development build)" : version)};
  }
}
