/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs over numbers that stay on the device. A program is a list of steps such as sums and
 * products. Their operands and results are numbered variables. JOB_numbers runs a program as one
 * composite operation (lib/calc/calc.h), and the host waits only once.
 * A program is plain data. Its tables of steps, variables and divisors are operands of the job in
 * host memory; an entry of a table is one number of the operand. Tables refer to one another by
 * indices. Numbers are unsigned. Bit lengths are upper bounds, except those of divisors, which are
 * exact. */
#ifndef MPGPU_NUMBERS_H
#define MPGPU_NUMBERS_H

#include "lib/job/job.h"
#include "lib/memory/touch.h"

/* Indices of the job's operands. The tables of divisors and of first approximations of their
 * reciprocals may be absent. */
enum { NUMBERS_STEPS = 0, NUMBERS_VARIABLES = 1, NUMBERS_DIVISORS = 2, NUMBERS_FIRSTS = 3 };

enum { NUMBERS_MOST_STEPS = 512, NUMBERS_MOST_VARIABLES = 4 * NUMBERS_MOST_STEPS };

enum number_kind {
    NUMBER_KNOWN, /* no step computes the value: it is an operand */
    NUMBER_ADD,   /* r = u + v */
    /* r = 2^(32 (words - 4)) + u - v, where r has `words` words: the highest 4 words together are
     * the number 1 if u >= v, otherwise 0 */
    NUMBER_SUB,
    NUMBER_MUL,  /* r = u v */
    NUMBER_UP,   /* r = u 2^shift */
    NUMBER_DOWN, /* r = floor(u / 2^shift) */
    NUMBER_QUOTIENT,
    /* r = u modulo the divisor; also computes the quotient q unless q is NUMBER_NONE */
    NUMBER_REST,
    NUMBER_PRODUCT /* r = u v modulo the divisor */
};

enum {
    /* the variable is an operand: in device memory `mem`, or in host memory `host` */
    NUMBER_IS_KNOWN = 1,
    /* `residue` is the residue of the operand in `mem` (calc_know in lib/calc/calc_check.h) */
    NUMBER_HAS_RESIDUE = 2
};

/* A variable. It gets its value once: from a step, or from the program if it is an operand. */
struct number_variable {
    uint64_t words; /* length of the value in words, a multiple of CALC_QUAD */
    gpu_mem mem;    /* device memory of the value; 0: memory that the operation allocates */
    /* if not NULL, the value of a step is downloaded to this memory of words / 2 limbs */
    uint64_t *host;
    uint64_t residue;
    uint64_t flags;
};

/* A divisor or modulus. `mem` is device memory of numbers_divisor_words words that stores the
 * divisor and its reciprocal for later programs; 0 means that nothing is stored. If is_there, `mem`
 * already contains both, and no first approximation is needed. */
struct number_divisor {
    uint64_t variable, bits;
    /* length of quotients in quads (4 words); 0: a modulus, used for many divisions */
    uint64_t quads;
    gpu_mem mem;
    uint64_t is_there;
    /* limb of the operand NUMBERS_FIRSTS at which the first approximation of the reciprocal begins;
     * NUMBER_NONE if no step needs the reciprocal (numbers_has_form) */
    uint64_t first;
    /* code of the divisor's form k 2^e - 1 or k 2^e + 1, from calc_form_find; 0: another form */
    uint64_t form;
};

/* One step of a program, such as a product. r, q (results), u and v (operands) are indices of
 * variables, or NUMBER_NONE if absent. */
#define NUMBER_NONE UINT64_MAX
struct number_step {
    uint64_t kind;
    uint64_t r, q, u, v;
    uint64_t divisor; /* index in the table of divisors */
    /* NUMBER_UP, NUMBER_DOWN: bits; NUMBER_PRODUCT: what is known of u and v (enum
     * calc_form_factors) */
    uint64_t shift;
    uint64_t bits; /* bit length of the dividend; in steps without a division, of the result */
};

/* The length in limbs of one entry of each table. */
enum {
    NUMBER_VARIABLE_LIMBS = sizeof(struct number_variable) / sizeof(uint64_t),
    NUMBER_DIVISOR_LIMBS = sizeof(struct number_divisor) / sizeof(uint64_t),
    NUMBER_STEP_LIMBS = sizeof(struct number_step) / sizeof(uint64_t)
};

/* A program over numbers (a list of steps): pointers to its tables, and their lengths. */
struct number_program {
    const struct number_step *step;
    const struct number_variable *variable;
    const struct number_divisor *divisor;
    uint64_t steps, variables, divisors, firsts; /* firsts: limbs */
};

/* Returns the program whose tables are the job's operands. The operands must have the lengths of
 * tables. */
struct number_program numbers_of(const struct job *job);

/* Returns true if every index, size and offset of the tables is possible. Each step must find
 * values in its operands' variables, and its result's variable must have no value yet. No two
 * values in device memory may share memory. */
bool numbers_fit(const struct number_program *k);

/* Returns the plan of divisions by a number of `bits` bits. Quotients have `quads` quads (4 words).
 * quads = 0 means a modulus, by which many numbers are divided. */
struct calc_divisor numbers_divisor(uint64_t bits, uint64_t quads);

/* Returns true if a step with this divisor and a dividend of `bits` bits needs no reciprocal. The
 * divisor then has the form k 2^e - 1 or k 2^e + 1 (lib/calc/calc_form.h). */
bool numbers_has_form(const struct number_divisor *d, uint64_t bits);

/* Returns the words of the memory that stores a divisor and its reciprocal. */
uint64_t numbers_divisor_words(const struct calc_divisor *by);

/* Returns the quads (4 words) of a dividend of `bits` bits, after the shift that moves the
 * divisor's highest bit to the top of its quads. The quotient has by->n quads less. */
uint64_t numbers_dividend_quads(const struct calc_divisor *by, uint64_t bits);

/* Returns approximately how many bytes the program's steps read and write, for the watchdog. */
size_t numbers_bytes(const struct job *job);

#endif
