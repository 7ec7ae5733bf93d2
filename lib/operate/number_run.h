/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs of operations on numbers that stay on the device: all in one composite operation
 * (lib/calc/calc.h), for which the host waits once.
 *
 * A run is one piece of memory, from malloc, since the stream's thread reads it: where that does
 * not come back it is never freed.  Magnitudes only; what is said of bits are upper bounds, of a
 * modulus its length. */
#ifndef MPGPU_NUMBER_RUN_H
#define MPGPU_NUMBER_RUN_H

#include <gmp.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "lib/base/outcome.h"
#include "lib/calc/calc_divide.h"
#include "lib/memory/touch.h"
#include "lib/operate/batch_run.h"

enum number_kind {
    NUMBER_KNOWN, /* no operation: it is there */
    NUMBER_ADD,   /* r = u + v */
    NUMBER_SUB,   /* r = 2^(32 (words - 4)) + u - v: the highest quad is 1 where u >= v, else 0 */
    NUMBER_MUL,   /* r = u v */
    NUMBER_UP,    /* r = u 2^shift */
    NUMBER_DOWN,  /* r = floor(u / 2^shift) */
    NUMBER_QUOTIENT,
    NUMBER_REST,   /* r = u modulo the divisor, and q if it is wanted */
    NUMBER_PRODUCT /* r = u v modulo the divisor */
};

/* A value.  Where its store has no bytes it lies in the run's room. */
struct number_place {
    uint64_t words; /* a multiple of CALC_QUAD */
    struct batch_store store;
    mp_limb_t *host;  /* if not NULL, all its words come here */
    uint64_t residue; /* of NUMBER_KNOWN (calc_know in lib/calc/calc_check.h) */
    bool is_known;
    size_t last; /* the step that is the last to use it */
    struct number at;
};

/* A divisor or modulus: `by` without its numbers; the first approximation of its reciprocal
 * (lib/operate/first_reciprocal.h).  With a store, which has room for number_divisor_words(by),
 * they are kept there. */
struct number_divisor {
    size_t place;
    struct calc_divisor by;
    struct batch_store store;
    bool is_there, is_made; /* before this run; in this pass */
    uint64_t first_quads;
    mp_limb_t *first;
    struct number first_at;
};

/* Places of result and operands by index; NUMBER_NONE for those that are not. */
#define NUMBER_NONE ((size_t)-1)
struct number_step {
    enum number_kind kind;
    size_t r, q, u, v;
    size_t divisor; /* index of it */
    uint64_t shift; /* bits */
    uint64_t bits;  /* of the dividend; without one, of the result */
};

struct number_run {
    struct number_place *place;
    struct number_divisor *divisor;
    struct number_step *step;
    struct touch *touch; /* room for one a place */
    struct number *hole; /* room for one a place */
    size_t places, divisors, steps, holes;
    atomic_bool has_ended;
};

/* All there is room for, zeros; NULL without memory. */
struct number_run *number_run_create(size_t places, size_t divisors, size_t steps);
void number_run_free(struct number_run *run); /* one that was not begun */

/* Words of d and of its reciprocal together. */
uint64_t number_divisor_words(const struct calc_divisor *by);

/* The plan for a modulus of so many bits, by which many are divided; one block each. */
struct calc_divisor number_modulus_plan(uint64_t bits);

/* Quads that a dividend of so many bits takes; the quotient has by->n less. */
uint64_t number_dividend_quads(const struct calc_divisor *by, uint64_t bits);

/* Every step, in order, checked; then host memory and stores hold the results, or anything.
 * OUTCOME_DONE, or why not.  Frees the run, or leaves it to a thread that does not come back. */
enum outcome number_run(struct number_run *run);

#endif
