/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes a whole product from the same product modulo B^n - 1 and modulo B^n + 1, B = 2^32. */
#ifndef MPGPU_HALVES_H
#define MPGPU_HALVES_H

#include "lib/device/number.h"

/* Queue the computation of r, the lowest r.words words of P: the number below B^(2n) that is
 * congruent to a modulo B^n - 1 and to b modulo B^n + 1. If a and b are 0, r is 0. If b is 0 and a
 * is B^n - 1, r is B^(2n) - 1. a and b have n words, a multiple of 2048; r overlaps neither. Uses
 * the buffer SLOT_FLAGS.
 * halves_begin allocates memory. halves_join then joins any range of chunks of CARRY_CHUNK words
 * each, and reads one word of a and b beyond the range. halves_end resolves the carries between
 * chunks once all chunks are joined. */
enum gpu_status halves_begin(struct context *s, uint64_t n);
enum gpu_status halves_join(struct context *s, struct number r, struct number a, struct number b,
                            uint64_t chunk, uint64_t count);
enum gpu_status halves_end(struct context *s, struct number r, uint64_t n);

/* Does the work of halves_begin, halves_join and halves_end in one call. */
enum gpu_status halves_make(struct context *s, struct number r, struct number a, struct number b);

#endif
