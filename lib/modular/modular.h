/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes modular batches on the device by Montgomery's method. A batch has `count` numbers of
 * `words` words each, one after the other; `words` is even. An operation computes the same function
 * of all numbers (doc/design/modular-batches.md). */
#ifndef MPGPU_MODULAR_BATCH_H
#define MPGPU_MODULAR_BATCH_H

#include "kernels/modular/modular.h"
#include "lib/base/ceil_div.h"
#include "lib/device/context.h"
#include "lib/device/launch.h"

enum modular_kind {
    MODULAR_KIND_REDUCE, /* r = u mod m, where u has u_words words: `words` or 2 `words` */
    MODULAR_KIND_ADD,
    MODULAR_KIND_SUB,
    MODULAR_KIND_MUL, /* r = u v mod m; a square if v is u */
    MODULAR_KIND_POW, /* r = u^v mod m; the exponents v have exponent_words words each */
    MODULAR_KIND_POW_SECURE
};

/* Moduli of `words` words. `known` has MODULAR_KNOWN_WORDS(words) words of constants for each
 * modulus, computed by modular_moduli_compute. If is_one, all numbers share one modulus. */
struct modular_moduli {
    gpu_mem m, known;
    bool is_one;
};

/* An operation: computes each number of r from the numbers of u and v modulo m. Results are less
 * than m; numbers of u and v need not be. All moduli are odd. r overlaps neither u nor v. */
struct modular_operation {
    enum modular_kind kind;
    uint64_t count;
    uint32_t words, u_words, exponent_words;
    bool is_one_exponent; /* all numbers share one exponent */
    gpu_mem r, u, v;
    struct modular_moduli moduli;
    /* memory for residues, allocated by modular_check_prepare; absent without a check */
    gpu_mem record;
    /* A random number that the operation adds to each entry of `record`. An entry without it was
     * left over from an earlier operation. */
    uint64_t nonce;
};

/* Returns true if powers of numbers of `words` words use the floating-point units
 * (kernels/modular/power_double.cl), because that is faster on this device. */
bool modular_is_by_doubles(const struct context *s, uint32_t words);

/* Returns the number of rows of a Montgomery product of `words` words. Each row multiplies one word
 * of the first factor by the second factor. The number is `words`, rounded up to one for which
 * there is a kernel. It determines Montgomery's R = 2^(32 * rows). */
static inline uint32_t modular_rows(uint32_t words) {
    return words <= MODULAR_LEAST_WORDS ? MODULAR_LEAST_WORDS
                                        : MODULAR_SPAN * (uint32_t)ceil_div(words, MODULAR_SPAN);
}

/* Allocates the tables for powers. Call it before modular_compute. */
enum gpu_status modular_prepare(struct context *s, const struct modular_operation *op);

/* Queues the launches of an operation, without its check. */
enum gpu_status modular_compute(struct context *s, const struct modular_operation *op);

/* Computes an operation, checks it if `verify` is `device`, and waits for the device. Returns
 * GPU_FAILED if the check finds a wrong number. */
enum gpu_status modular_operate(struct context *s, const struct modular_operation *op);

/* The arguments of modular_moduli_compute, which computes constants of `count` moduli, and stores
 * them in `known`. The function sets the lower word of each modulus's limb in `kinds` to
 * MODULAR_IS_ODD, MODULAR_IS_EVEN or MODULAR_IS_ZERO. It checks the constants if `verify` is
 * `device`, and waits for the device. */
struct modular_request {
    gpu_mem known, kinds, m;
    uint64_t count;
    uint32_t words;
};
enum gpu_status modular_moduli_compute(struct context *s, const struct modular_request *r);

/* modular_program returns the number length, in words, of the compiled program that is used for
 * numbers of `words` words; it is at least `words`. modular_groups returns the size of a launch for
 * `numbers` numbers. */
unsigned modular_program(uint32_t words);
struct launch_groups modular_groups(uint64_t numbers, uint32_t words);

/* ---- the check of modular batches (doc/design/modular-batches.md) */

/* Allocates memory for the residues that the kernels store during the operation, for its check.
 * Call it before modular_compute. */
enum gpu_status modular_check_prepare(struct context *s, struct modular_operation *op);

/* Checks an operation after its launches, and waits for the device. Returns GPU_FAILED if a number
 * is wrong. */
enum gpu_status modular_check(struct context *s, const struct modular_operation *op);

/* Checks the constants of moduli after the launch of modular_moduli_compute, and waits for the
 * device. Returns GPU_FAILED if a constant is wrong. */
enum gpu_status modular_check_known(struct context *s, const struct modular_request *r);

#endif
