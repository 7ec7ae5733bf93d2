/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs over numbers that stay on the device. A program is a list of steps over places;
 * JOB_numbers runs it as one composite operation (lib/calc/calc.h), for which the host waits once.
 *
 * A program is plain data. Its tables are operands in host memory, one number of the job each, and
 * refer to one another by indices. Numbers are unsigned. Bit lengths are upper bounds; those of
 * divisors are exact. */
#ifndef MPGPU_NUMBERS_H
#define MPGPU_NUMBERS_H

#include "lib/job/job.h"
#include "lib/memory/touch.h"

/* Operands of the job. Divisors and first approximations may be absent. */
enum { NUMBERS_STEPS = 0, NUMBERS_PLACES = 1, NUMBERS_DIVISORS = 2, NUMBERS_FIRSTS = 3 };

enum { NUMBERS_MOST_STEPS = 512, NUMBERS_MOST_PLACES = 4 * NUMBERS_MOST_STEPS };

enum number_kind {
    NUMBER_KNOWN, /* no operation: the value is an operand */
    NUMBER_ADD,   /* r = u + v */
    NUMBER_SUB,   /* r = 2^(32 (words - 4)) + u - v: highest quad 1 if u >= v, else 0 */
    NUMBER_MUL,   /* r = u v */
    NUMBER_UP,    /* r = u 2^shift */
    NUMBER_DOWN,  /* r = floor(u / 2^shift) */
    NUMBER_QUOTIENT,
    NUMBER_REST,   /* r = u modulo the divisor, and the quotient q unless absent */
    NUMBER_PRODUCT /* r = u v modulo the divisor */
};

enum {
    NUMBER_IS_KNOWN = 1,   /* an operand: in `mem`, or at `host` */
    NUMBER_HAS_RESIDUE = 2 /* of an operand in `mem` (calc_know in lib/calc/calc_check.h) */
};

/* A place for one value, computed by one step or given as an operand. */
struct number_place {
    uint64_t words; /* a multiple of CALC_QUAD */
    gpu_mem mem;    /* or 0: in the operation's own memory */
    uint64_t *host; /* not NULL for a step: its value is downloaded here, words / 2 limbs */
    uint64_t residue;
    uint64_t flags;
};

/* A divisor or modulus. `mem` is memory of numbers_divisor_words words, in which it is stored with
 * its reciprocal; 0: it is not stored. If is_there, both are stored already, and no approximation
 * is needed. */
struct number_divisor {
    uint64_t place, bits;
    uint64_t quads; /* of the quotients; 0: a modulus, for many divisions */
    gpu_mem mem;
    uint64_t is_there;
    uint64_t first; /* limb of NUMBERS_FIRSTS at which its first approximation begins */
};

/* One step. Result and operands are indices of places, or NUMBER_NONE if absent. */
#define NUMBER_NONE UINT64_MAX
struct number_step {
    uint64_t kind;
    uint64_t r, q, u, v;
    uint64_t divisor; /* index of the divisor */
    uint64_t shift;   /* bits */
    uint64_t bits;    /* of the dividend; of the result if there is none */
};

/* The limbs of an entry of each table. */
enum {
    NUMBER_PLACE_LIMBS = sizeof(struct number_place) / sizeof(uint64_t),
    NUMBER_DIVISOR_LIMBS = sizeof(struct number_divisor) / sizeof(uint64_t),
    NUMBER_STEP_LIMBS = sizeof(struct number_step) / sizeof(uint64_t)
};

/* A program as pointers to its tables. */
struct number_program {
    const struct number_step *step;
    const struct number_place *place;
    const struct number_divisor *divisor;
    uint64_t steps, places, divisors, firsts; /* firsts: limbs */
};

/* Returns the program of a job whose operands have the lengths of tables. */
struct number_program numbers_of(const struct job *job);

/* Returns true if every index, size and offset of the tables is possible. Each step must find its
 * operands and a free place for its result, and no two values may share memory. */
bool numbers_fit(const struct number_program *k);

/* Returns the plan for a divisor of `bits` bits and quotients of `quads` quads.  With quads = 0 the
 * divisor is a modulus, and each quotient has one block. */
struct calc_divisor numbers_divisor(uint64_t bits, uint64_t quads);

/* Returns the words of a divisor together with its reciprocal. */
uint64_t numbers_divisor_words(const struct calc_divisor *by);

/* Returns the quads of a dividend of `bits` bits. The quotient has by->n quads less. */
uint64_t numbers_dividend_quads(const struct calc_divisor *by, uint64_t bits);

/* Returns the approximate bytes that the steps read and write. */
size_t numbers_bytes(const struct job *job);

#endif
