/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Modular batches on the device: `count` numbers of `words` words each, one after the other,
 * `words` even.  Each batch performs one operation on all numbers (doc/design/modular-batches.md).
 */
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
    MODULAR_KIND_MUL, /* a square if v is u */
    MODULAR_KIND_POW, /* r = u^v; the exponents v have exponent_words each */
    MODULAR_KIND_POW_SECURE
};

/* Moduli of `words` words, and the results of modular_moduli_compute for them,
 * MODULAR_KNOWN_WORDS(words) each.  There is one modulus for all numbers, or one for each. */
struct modular_moduli {
    gpu_mem m, known;
    bool is_one;
};

/* r = u op v mod m, below m, for any u and v; all moduli are odd.  r does not overlap u or v. */
struct modular_operation {
    enum modular_kind kind;
    uint64_t count;
    uint32_t words, u_words, exponent_words;
    bool is_one_exponent; /* one exponent for all numbers */
    gpu_mem r, u, v;
    struct modular_moduli moduli;
    gpu_mem record; /* for the check: memory of modular_check_prepare, or none */
    uint64_t nonce; /* a part of each entry of the record */
};

/* Returns true if powers of numbers of `words` words use kernels/modular/power_double.cl, because
 * that is faster. */
bool modular_is_by_doubles(const struct context *s, uint32_t words);

/* Returns the rows of numbers of `words` words: R = 2^(32 rows). */
static inline uint32_t modular_rows(uint32_t words) {
    return words <= MODULAR_LEAST_WORDS ? MODULAR_LEAST_WORDS
                                        : MODULAR_SPAN * (uint32_t)ceil_div(words, MODULAR_SPAN);
}

/* Prepares what the kernels need on the device.  Must precede modular_compute. */
enum gpu_status modular_prepare(struct context *s, const struct modular_operation *op);

/* Queues the operation, unchecked. */
enum gpu_status modular_compute(struct context *s, const struct modular_operation *op);

/* Prepares and computes the operation, checks it as `verify` demands, and waits for it.  Returns
 * GPU_FAILED if a number is wrong. */
enum gpu_status modular_operate(struct context *s, const struct modular_operation *op);

/* Computes what depends on `count` moduli alone: `known`, and `kinds`, a limb each, whose first
 * word is MODULAR_IS_ODD, MODULAR_IS_EVEN or MODULAR_IS_ZERO.  Checks it, and waits for it. */
struct modular_request {
    gpu_mem known, kinds, m;
    uint64_t count;
    uint32_t words;
};
enum gpu_status modular_moduli_compute(struct context *s, const struct modular_request *r);

/* Return the words of the program for numbers of `words` words, and the groups for `numbers` of
 * them. */
unsigned modular_program(uint32_t words);
struct launch_groups modular_groups(uint64_t numbers, uint32_t words);

/* ---- the check (doc/design/modular-batches.md) */

/* Allocates the record for what the operation traces.  Must precede modular_compute. */
enum gpu_status modular_check_prepare(struct context *s, struct modular_operation *op);

/* Checks the operation after it, and waits for it.  Returns GPU_OK if all numbers are right. */
enum gpu_status modular_check(struct context *s, const struct modular_operation *op);

/* Checks what is known of moduli after modular_moduli_compute's launch, and waits for it.  Returns
 * GPU_OK if all of it is right. */
enum gpu_status modular_check_known(struct context *s, const struct modular_request *r);

#endif
