/** Model directories in HuggingFace layout: config.json, model.safetensors, tokenizer.json. */
@NullMarked
package org.p3ostream.policy.checkpoint;

import org.jspecify.annotations.NullMarked;
