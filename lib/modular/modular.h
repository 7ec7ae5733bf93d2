/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Modular batches on the device: `count` numbers of `words` words each, one behind the other,
 * `words` even.  The same operation on all of them at once (doc/design/modular-batches.md). */
#ifndef MPGPU_MODULAR_BATCH_H
#define MPGPU_MODULAR_BATCH_H

#include "kernels/modular/modular.h"
#include "lib/base/ceil_div.h"
#include "lib/device/context.h"
#include "lib/device/launch.h"

enum modular_kind {
    MODULAR_KIND_REDUCE, /* r = u mod m, u of u_words: words or 2 words */
    MODULAR_KIND_ADD,
    MODULAR_KIND_SUB,
    MODULAR_KIND_MUL, /* a square where v is u */
    MODULAR_KIND_POW, /* r = u^v, v the exponents, of exponent_words each */
    MODULAR_KIND_POW_SECURE
};

/* Moduli of `words` words and what modular_moduli_compute made of them, MODULAR_KNOWN_WORDS(words)
 * each; one for all, or one for each number. */
struct modular_moduli {
    gpu_mem m, known;
    bool is_one;
};

/* r = u op v mod m, below m, whatever u and v are; all moduli are odd.  r lies apart from u and v.
 */
struct modular_operation {
    enum modular_kind kind;
    uint64_t count;
    uint32_t words, u_words, exponent_words;
    bool is_one_exponent; /* for all numbers */
    gpu_mem r, u, v;
    struct modular_moduli moduli;
    gpu_mem record; /* for its check: modular_check_prepare's, or none */
    uint64_t nonce; /* in each entry of the record */
};

/* Whether powers of numbers of so many words go by kernels/modular/power_double.cl, where that is
 * quicker. */
bool modular_is_by_doubles(const struct context *s, uint32_t words);

/* R = 2^(32 rows) for such numbers. */
static inline uint32_t modular_rows(uint32_t words) {
    return words <= MODULAR_LEAST_WORDS ? MODULAR_LEAST_WORDS
                                        : MODULAR_SPAN * (uint32_t)ceil_div(words, MODULAR_SPAN);
}

/* What the kernels need on the device: before modular_compute. */
enum gpu_status modular_prepare(struct context *s, const struct modular_operation *op);

/* Into the queue, unchecked. */
enum gpu_status modular_compute(struct context *s, const struct modular_operation *op);

/* Both, checked as `verify` says, to the end: GPU_FAILED where a number is wrong. */
enum gpu_status modular_operate(struct context *s, const struct modular_operation *op);

/* What depends on `count` moduli alone: `known`, and `kinds`, a limb each, whose first word is
 * MODULAR_IS_ODD, MODULAR_IS_EVEN or MODULAR_IS_ZERO.  Checked, to the end. */
struct modular_request {
    gpu_mem known, kinds, m;
    uint64_t count;
    uint32_t words;
};
enum gpu_status modular_moduli_compute(struct context *s, const struct modular_request *r);

/* Words of the program for such numbers, and groups for so many of them. */
unsigned modular_program(uint32_t words);
struct launch_groups modular_groups(uint64_t numbers, uint32_t words);

/* ---- the check (doc/design/modular-batches.md) */

/* Before modular_compute: memory for what is traced of the operation. */
enum gpu_status modular_check_prepare(struct context *s, struct modular_operation *op);

/* Behind the operation, to the end: GPU_OK if all numbers are right. */
enum gpu_status modular_check(struct context *s, const struct modular_operation *op);

/* Of moduli, behind modular_moduli_compute's launch, to the end: GPU_OK if all that is known is
 * right. */
enum gpu_status modular_check_known(struct context *s, const struct modular_request *r);

#endif
