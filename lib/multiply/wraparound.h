/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the multiple of B^n - 1 or B^n + 1 (B = 2^64) that a product u v loses when transforms
 * wrap it around. The product's check needs this multiple (H in kernels/check/wraparound.h). It is
 * computed from u and v alone, modulo the context's random modulus. */
#ifndef MPGPU_WRAPAROUND_H
#define MPGPU_WRAPAROUND_H

#include "kernels/check/wraparound.h"
#include "kernels/common/balanced_digits.h"
#include "lib/device/answers.h"
#include "lib/device/number.h"

/* How the multiplication cuts its operands into digits: of `limbs` limbs each, or, if `limbs` is 0,
 * into the balanced digits of floating-point transforms. If `plus`, the product is modulo B^n + 1,
 * otherwise modulo B^n - 1 (B = 2^64). */
struct wraparound_digits {
    unsigned limbs;
    bool plus;
    struct digits balanced;
};

/* The state of a computation. parts: the number of parts, one for each work-group. each: limbs or
 * balanced digits of a part. more: by how many limbs all parts together are longer than the
 * operands. For the square of balanced digits, the parts have only the lower half of the digits
 * (kernels/check/digit_wraparound.h). */
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
 * describes how they are cut. The kernel writes w->parts times WRAPAROUND_ENTRIES entries of 64
 * bits to `out`, beginning with entry `at`. It combines each entry with `key`, so that entries of
 * an earlier check are detected. */
enum gpu_status wraparound_launch(struct wraparound *w, struct context *s, struct number u,
                                  struct number v, uint64_t n, struct wraparound_digits d,
                                  struct answers_key key, gpu_mem out, uint64_t at);

/* Computes *residues from the entries that the device has written, beginning with entry `at`
 * (lib/device/answers.h). Returns false if an entry was not written with `key`. */
bool wraparound_residues(const struct wraparound *w, const struct context *s,
                         struct answers_key key, uint64_t at, struct check_modulus q,
                         struct wraparound_residues *residues);

/* The words of the memory that wraparound_quotient needs. */
#define WRAPAROUND_WORDS (2 * WRAPAROUND_ENTRIES * WRAPAROUND_MOST)

/* Queues an addition to q, for a product of u and v modulo M = 2^p - 1 that transforms have
 * computed. Let x be the sum of the coefficients, plus 2^offset M. The addend is (u v - x) / M, and
 * the sum is reduced modulo the context's random modulus.
 *
 * - u and v have at most p + 2 bits.
 * - d: the digits of the transforms, which have p bits in all.
 * - q has two words or more. Words above the lowest two are 0. The lowest two become the sum.
 * - parts: scratch memory of WRAPAROUND_WORDS words, which begins at an even word. */
enum gpu_status wraparound_quotient(struct context *s, struct number q, struct number u,
                                    struct number v, struct digits d, unsigned offset,
                                    struct number parts);

#endif
