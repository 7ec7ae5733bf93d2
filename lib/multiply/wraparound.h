/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the multiple of B^n - 1 or B^n + 1 that a product u v loses when transforms wrap it
 * around. It is computed from u and v alone, modulo the context's random modulus, for the product's
 * check (H in kernels/check/wraparound.h). */
#ifndef MPGPU_WRAPAROUND_H
#define MPGPU_WRAPAROUND_H

#include "kernels/common/balanced_digits.h"
#include "lib/device/answers.h"
#include "lib/device/number.h"

#define WRAPAROUND_MOST 512 /* the most parts whose residues the host combines */

/* How the multiplication cuts its operands into N digits: of `limbs` limbs, or, if `limbs` is 0,
 * into the balanced digits of floating-point transforms. `plus`: the product is modulo B^n + 1,
 * otherwise modulo B^n - 1. */
struct wraparound_digits {
    unsigned limbs;
    bool plus;
    struct digits balanced;
};

/* The state of a computation: the count of parts (one for each work-group), the limbs or balanced
 * digits of each part, and by how many all parts together exceed the operands. */
struct wraparound {
    uint64_t parts, each, more;
    struct wraparound_digits digits;
};

/* Residues modulo the context's random modulus: of u, of v, and of the multiple that the product
 * has lost. */
struct wraparound_residues {
    uint64_t u, v, wrapped;
};

/* Queues the computation of the residues. u and v have at most n limbs and begin at even words; `d`
 * says how they are cut. The kernel writes w->parts times WRAPAROUND_ENTRIES entries of 64 bits to
 * `out`, from entry `at`. It combines them with the key, so that entries of an earlier check are
 * detected. */
enum gpu_status wraparound_launch(struct wraparound *w, struct context *s, struct number u,
                                  struct number v, uint64_t n, struct wraparound_digits d,
                                  struct answers_key key, gpu_mem out, uint64_t at);

/* Computes *residues from the entries that the device has written from entry `at` up
 * (lib/device/answers.h). Returns false if an entry was not written with `key`. */
bool wraparound_residues(const struct wraparound *w, const struct context *s,
                         struct answers_key key, uint64_t at, struct check_modulus q,
                         struct wraparound_residues *residues);

#endif
