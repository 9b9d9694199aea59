/**
 * From a YAML file and overrides to validated settings: which keys exist is read off the settings
 * records, which hold their own defaults and rules. Called by the command line before any client is
 * built; pure but for reading the file.
 */
@NullMarked
package org.p3ostream.deploy.config;

import org.jspecify.annotations.NullMarked;
