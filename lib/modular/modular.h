/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Modular batches on the device: `count` numbers of `words` words each, one behind the other,
 * `words` even.  The same operation on all of them at once (doc/design/modular-batches.md). */
#ifndef MPGPU_MODULAR_BATCH_H
#define MPGPU_MODULAR_BATCH_H

#include "kernels/modular/modular.h"
#include "lib/device/context.h"

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
};

/* Whether the kernels here take numbers of so many words. */
bool modular_is_short(uint32_t words);

/* R = 2^(32 rows) for such numbers. */
uint32_t modular_rows(uint32_t words);

/* What the kernels need on the device: before modular_compute. */
enum gpu_status modular_prepare(struct context *s, const struct modular_operation *op);

/* Into the queue, unchecked. */
enum gpu_status modular_compute(struct context *s, const struct modular_operation *op);

/* Both, checked as `verify` says, to the end: GPU_FAILED where a number is wrong. */
enum gpu_status modular_operate(struct context *s, const struct modular_operation *op);

/* What depends on `count` moduli alone: `known`, and `kinds`, a limb each, whose first word is
 * MODULAR_IS_ODD, MODULAR_IS_EVEN or MODULAR_IS_ZERO.  To the end. */
enum gpu_status modular_moduli_compute(struct context *s, gpu_mem known, gpu_mem kinds, gpu_mem m,
                                       uint64_t count, uint32_t words);

#endif
