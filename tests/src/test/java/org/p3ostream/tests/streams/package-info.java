/** The metrics service against a real broker and a real registry. */
package org.p3ostream.tests.streams;
