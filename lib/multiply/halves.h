/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes a whole product from the same product modulo B^n - 1 and modulo B^n + 1, B = 2^32. */
#ifndef MPGPU_HALVES_H
#define MPGPU_HALVES_H

#include "lib/device/number.h"

/* Queue the computation of the lowest r.words words of a product P < B^(2n), where B = 2^32. a is P
 * modulo B^n - 1, and b is P modulo B^n + 1. P = 0 requires a = 0 and b = 0. For P = B^(2n) - 1, a
 * is B^n - 1 and b is 0. a and b have n words, a multiple of 2048; r overlaps neither. Uses the
 * buffer SLOT_FLAGS.
 *
 * halves_begin allocates memory. halves_join then joins a range of chunks of CARRY_CHUNK words
 * each, and reads one word of a and b beyond the range. Once all chunks are joined, halves_end
 * resolves the carries between chunks. */
enum gpu_status halves_begin(struct context *s, uint64_t n);
enum gpu_status halves_join(struct context *s, struct number r, struct number a, struct number b,
                            uint64_t chunk, uint64_t count);
enum gpu_status halves_end(struct context *s, struct number r, uint64_t n);

/* Does the work of halves_begin, halves_join and halves_end in one call. */
enum gpu_status halves_make(struct context *s, struct number r, struct number a, struct number b);

#endif
