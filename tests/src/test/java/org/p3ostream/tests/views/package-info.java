/** What people look at, in a real browser. Left out, and said so, where there is none. */
package org.p3ostream.tests.views;
