/**
 * The PyTorch engine as this project uses it: start-up, thread preparation, TorchScript compiled
 * from source text, autograd without DJL's process-global collector. Everything else that touches
 * tensors goes through here.
 */
@NullMarked
package org.p3ostream.policy.torch;

import org.jspecify.annotations.NullMarked;
