/**
 * Messages of every record type between this project and registry clients of others, in both
 * directions and with exact values. Run by {@code -Ppeers}.
 */
package org.p3ostream.tests.peers;
