/* SPDX-License-Identifier: LGPL-3.0-or-later
 * How large a multiple of B^n -+ 1 a product u v loses where it wraps round, modulo the context's
 * random modulus: H of kernels/check/wraparound.h, from u and v alone. */
#ifndef MPGPU_WRAPAROUND_H
#define MPGPU_WRAPAROUND_H

#include "lib/device/answers.h"
#include "lib/device/number.h"

#define WRAPAROUND_MOST 512 /* parts that the host sums up */

/* A computation under way: so many parts, each of so many limbs, and so many more than n in all. */
struct wraparound {
    uint64_t parts, limbs, more;
};

/* The residues of u and v, and of what wraps round. */
struct wraparound_residues {
    uint64_t u, v, wrapped;
};

/* Digits of so many limbs; or is_balanced, limbs 1: those of a product by fft, modulo B^n + 1 if
 * plus (kernels/check/balanced.h). */
struct wraparound_digits {
    unsigned limbs;
    bool is_balanced, plus;
};

/* Put it into the queue, for u and v of whole limbs at even words, n limbs cut into such
 * digits: w->parts times WRAPAROUND_ENTRIES entries of 64 bits into `out` from entry `at` on, by
 * the key. */
enum gpu_status wraparound_launch(struct wraparound *w, struct context *s, struct number u,
                                  struct number v, uint64_t n, struct wraparound_digits d,
                                  struct answers_key key, gpu_mem out, uint64_t at);

/* From the answers' entries (lib/device/answers.h) from `at` on.  False where one was not written
 * by the key. */
bool wraparound_residues(const struct wraparound *w, const struct context *s,
                         struct answers_key key, uint64_t at, struct check_modulus q,
                         struct wraparound_residues *residues);

#endif
