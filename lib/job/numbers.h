/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs over numbers that stay on the device: steps over places, which JOB_numbers runs in one
 * composite operation (lib/calc/calc.h), for which the host waits once.
 *
 * A program is plain data: its tables are operands in host memory, a number of the job each, and
 * refer to one another by indices.  Numbers are magnitudes.  Bit lengths are upper bounds; those of
 * divisors are exact. */
#ifndef MPGPU_NUMBERS_H
#define MPGPU_NUMBERS_H

#include "lib/job/job.h"
#include "lib/memory/touch.h"

/* Operands of the job.  There may be no divisors, and no first approximations. */
enum { NUMBERS_STEPS = 0, NUMBERS_PLACES = 1, NUMBERS_DIVISORS = 2, NUMBERS_FIRSTS = 3 };

enum { NUMBERS_MOST_STEPS = 512, NUMBERS_MOST_PLACES = 4 * NUMBERS_MOST_STEPS };

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

enum {
    NUMBER_IS_KNOWN = 1,   /* an operand: in `mem`, or at `host` */
    NUMBER_HAS_RESIDUE = 2 /* of an operand in `mem` (calc_know in lib/calc/calc_check.h) */
};

/* A value: of one step, or an operand. */
struct number_place {
    uint64_t words; /* a multiple of CALC_QUAD */
    gpu_mem mem;    /* or 0: it is in the operation's own memory */
    uint64_t *host; /* if not NULL, a step's value is downloaded here: words / 2 limbs */
    uint64_t residue;
    uint64_t flags;
};

/* A divisor or modulus.  `mem` has memory for numbers_divisor_words, where it is kept with its
 * reciprocal; 0: it is not kept.  If it is there already, no approximation is needed. */
struct number_divisor {
    uint64_t place, bits;
    uint64_t quads; /* of the quotients, or 0: of a modulus by which many are divided */
    gpu_mem mem;
    uint64_t is_there;
    uint64_t first; /* limb of NUMBERS_FIRSTS where its first approximation begins */
};

/* Result and operands are indices of places, or NUMBER_NONE if they are absent. */
#define NUMBER_NONE UINT64_MAX
struct number_step {
    uint64_t kind;
    uint64_t r, q, u, v;
    uint64_t divisor; /* its index */
    uint64_t shift;   /* bits */
    uint64_t bits;    /* of the dividend; without one, of the result */
};

/* Limbs of an entry of each table. */
enum {
    NUMBER_PLACE_LIMBS = sizeof(struct number_place) / sizeof(uint64_t),
    NUMBER_DIVISOR_LIMBS = sizeof(struct number_divisor) / sizeof(uint64_t),
    NUMBER_STEP_LIMBS = sizeof(struct number_step) / sizeof(uint64_t)
};

/* A program by its tables. */
struct number_program {
    const struct number_step *step;
    const struct number_place *place;
    const struct number_divisor *divisor;
    uint64_t steps, places, divisors, firsts; /* the last: limbs */
};

/* Returns the program of a job whose operands have the lengths of tables. */
struct number_program numbers_of(const struct job *job);

/* Returns true if every index, size and offset of the tables is possible, each step finds its
 * operands and a place of its own for its result, and no two values share memory. */
bool numbers_fit(const struct number_program *k);

/* Returns the plan for a divisor of `bits` bits and quotients of `quads` quads.  With quads = 0 the
 * divisor is a modulus, and each quotient has one block. */
struct calc_divisor numbers_divisor(uint64_t bits, uint64_t quads);

/* Returns the words of a divisor and of its reciprocal together. */
uint64_t numbers_divisor_words(const struct calc_divisor *by);

/* Returns the quads of a dividend of `bits` bits.  The quotient has by->n quads less. */
uint64_t numbers_dividend_quads(const struct calc_divisor *by, uint64_t bits);

/* Returns about what the steps read and write, in bytes. */
size_t numbers_bytes(const struct job *job);

#endif
