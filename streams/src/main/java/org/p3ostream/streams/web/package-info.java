/**
 * What a browser needs to draw a run: the charting library, the charts, their look, and the live
 * page. Text of the class path, read once. Used by the server of this module and by the report of
 * {@code deploy}; safe from any thread.
 */
@NullMarked
package org.p3ostream.streams.web;

import org.jspecify.annotations.NullMarked;
