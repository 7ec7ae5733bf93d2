/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The multiple of B^n -+ 1 that a product u v loses when it wraps around, modulo the context's
 * random modulus: H of kernels/check/wraparound.h, from u and v alone. */
#ifndef MPGPU_WRAPAROUND_H
#define MPGPU_WRAPAROUND_H

#include "lib/device/answers.h"
#include "lib/device/number.h"

#define WRAPAROUND_MOST 512 /* most parts that the host sums up */

/* A computation in progress: the count of parts, the limbs of each part, and the limbs by which all
 * parts together exceed n. */
struct wraparound {
    uint64_t parts, limbs, more;
};

/* The residues of u, of v, and of the product's wrapped part. */
struct wraparound_residues {
    uint64_t u, v, wrapped;
};

/* The digits into which the multiplication cuts its operands. Each has `limbs` limbs. If
 * is_balanced, the product is computed by fft: a limb has four balanced digits
 * (kernels/check/balanced.h), and `limbs` is 1. `plus` then means modulo B^n + 1, otherwise B^n -
 * 1. */
struct wraparound_digits {
    unsigned limbs;
    bool is_balanced, plus;
};

/* Queues the computation of the residues. u and v have whole limbs and begin at even words. Their n
 * limbs are cut into digits d. It writes w->parts times WRAPAROUND_ENTRIES entries of 64 bits into
 * `out` from entry `at`, combined with the key. */
enum gpu_status wraparound_launch(struct wraparound *w, struct context *s, struct number u,
                                  struct number v, uint64_t n, struct wraparound_digits d,
                                  struct answers_key key, gpu_mem out, uint64_t at);

/* Sets *residues from the answers' entries from `at` (lib/device/answers.h). Returns false if an
 * entry was not written with the key. */
bool wraparound_residues(const struct wraparound *w, const struct context *s,
                         struct answers_key key, uint64_t at, struct check_modulus q,
                         struct wraparound_residues *residues);

#endif
