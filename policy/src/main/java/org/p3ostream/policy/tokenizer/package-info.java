/** Text to token ids and back, through the HuggingFace tokenizer file of the model. */
@NullMarked
package org.p3ostream.policy.tokenizer;

import org.jspecify.annotations.NullMarked;
