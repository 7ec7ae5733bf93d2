/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products from their halves: modulo B^n - 1 and B^n + 1, B = 2^32. */
#ifndef MPGPU_HALVES_H
#define MPGPU_HALVES_H

#include "lib/device/number.h"

/* r is the lowest r.words words of the P < B^(2n) that is a modulo B^n - 1 and b modulo B^n + 1;
 * where both are 0, r is 0, and B^(2n) - 1 where a is B^n - 1 for that.  Both have n words, a
 * multiple of 2048; r lies apart from both.  Put into the context's queue; uses SLOT_FLAGS.
 *
 * In steps: room; any ranges of chunks of CARRY_CHUNK words, which read a and b up to the word
 * above them; the carries between chunks, once all have been joined. */
enum gpu_status halves_begin(struct context *s, uint64_t n);
enum gpu_status halves_join(struct context *s, struct number r, struct number a, struct number b,
                            uint64_t chunk, uint64_t count);
enum gpu_status halves_end(struct context *s, struct number r, uint64_t n);

/* All of that. */
enum gpu_status halves_make(struct context *s, struct number r, struct number a, struct number b);

#endif
