/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers: operands for which the host knows what the device must compute.  A self-test has a
 * key, the length of its operands, and a function that computes and compares.  It runs once for
 * each key; programs that share a device share which tests have passed. */
#ifndef MPGPU_KNOWN_ANSWER_H
#define MPGPU_KNOWN_ANSWER_H

#include "lib/device/number.h"
#include "lib/device/residue.h"

/* The known-answer tests.  Each value is the number of a bit of s->known, which is set if the test
 * passed. */
enum known_answer_key {
    KNOWN_NTT = 0,       /* a program in a role (lib/selftest/selftest.c) */
    KNOWN_MINUS = 64,    /* the same for products modulo B^n - 1, */
    KNOWN_PLUS = 128,    /* and B^n + 1 */
    KNOWN_FFT = 192,     /* a program in a role (lib/selftest/selftest_products.c) */
    KNOWN_SSA = 256,     /* a pass or a size of coefficients */
    KNOWN_SMALL = 320,   /* small products of 2^i digits; 0: column by column */
    KNOWN_MODULAR = 384, /* numbers of 2^i words; 16 more: with a trace for the check */
    KNOWN_EUCLID = 448,
    KNOWN_FIXED = 512,      /* numbers of i words */
    KNOWN_MANDELBROT = 544, /* the same */
    KNOWN_BATCH = 576,      /* program i, for batches */
    KNOWN_OTHERS = KNOWN_BATCH + GPU_PROGRAMS,
    KNOWN_RESIDUES = KNOWN_OTHERS,
    KNOWN_SUMS,         /* in one group, */
    KNOWN_LONGER_SUMS,  /* in a few, */
    KNOWN_SETTLED_SUMS, /* and in many */
    KNOWN_LIMB,
    KNOWN_WINDOW,
    KNOWN_TREE,
    KNOWN_RADIX,
    KNOWN_BARRETT,
    KNOWN_HALVES,
    KNOWN_REMAINDER,
    KNOWN_END
};

enum { KNOWN_ANSWER_BUFFERS = 6 };

/* A running self-test.  Once `status` is not GPU_OK, the functions below do nothing. */
struct known_answer {
    struct context *s;
    enum gpu_status status;
    const void *plan; /* what the test is for */
    size_t n;
    uint32_t *host[2], *got; /* operands of n words; `got` has room for 2 n */
    struct number x[2], r;   /* in SLOT_U, SLOT_V and SLOT_R; r has 2 n words */
    uint64_t residue[2];     /* of the operands modulo RESIDUE_MODULUS */
    unsigned buffers;        /* of known_answer_alloc */
    gpu_mem mem[KNOWN_ANSWER_BUFFERS];
    size_t bytes[KNOWN_ANSWER_BUFFERS];
};

/* A step of a test: a call that returns a gpu_status. */
#define KNOWN_ANSWER(t, call) ((t)->status == GPU_OK ? (void)((t)->status = (call)) : (void)0)

/* Runs the test unless s->known has the key, which is set if the test passes.  If n is not 0, `run`
 * gets operands of n words that provoke carries.  The check's tables are on the device.  Returns
 * GPU_FAILED if an answer is wrong. */
typedef void known_answer_run(struct known_answer *t);
enum gpu_status known_answer_ensure(struct context *s, unsigned key, size_t n,
                                    known_answer_run *run, const void *plan);
bool known_answer_has(const struct context *s, unsigned key);

/* Runs a test that has no key, each time. */
enum gpu_status known_answer_verify(struct context *s, size_t n, known_answer_run *run,
                                    const void *plan);

/* ---- within a test */

/* Return a buffer of `words` words: a slot's, or a new one.  The latter is zeroed, and released
 * when the test ends. */
gpu_mem known_answer_buffer(struct known_answer *t, enum context_slot slot, uint64_t words);
gpu_mem known_answer_alloc(struct known_answer *t, uint64_t words);

/* Copy from the host to word `at` of a buffer, or back. */
void known_answer_up(struct known_answer *t, gpu_mem mem, uint64_t at, const void *x, size_t words);
void known_answer_down(struct known_answer *t, void *x, gpu_mem mem, uint64_t at, size_t words);

/* Reports the test's result: if is_right is false, the device is not used any more. */
void known_answer_expect(struct known_answer *t, bool is_right, const char *what, size_t words);

/* known_answer_compare downloads a buffer from word `at` on to `got`, and compares it with `right`.
 * known_answer_residue compares a residue of the result's first words. */
void known_answer_compare(struct known_answer *t, gpu_mem mem, uint64_t at, const uint32_t *right,
                          size_t words, const char *what);
void known_answer_residue(struct known_answer *t, size_t words, uint64_t right, const char *what);

/* Compares the result with the product of the operands, or with the first one's square, by
 * residues. */
void known_answer_product(struct known_answer *t, bool is_square, const char *what);

/* Compute on the host. known_answer_addmul: {r, rn} += c {x, xn}, xn <= rn; returns the carry out.
 * known_answer_mul: {r, un + vn} = {u, un} {v, vn}. */
uint32_t known_answer_addmul(uint32_t *r, size_t rn, const uint32_t *x, size_t xn, uint32_t c);
void known_answer_mul(uint32_t *r, const uint32_t *u, size_t un, const uint32_t *v, size_t vn);

/* ---- for others */

/* Clears *way, a device's special way of computing in its caps, if the status shows that it does
 * not work: a known answer, its check or a call failed, or its kernel is missing.  Returns true if
 * the context continues without it. */
bool known_answer_without(struct context *s, enum gpu_status status, bool *way, const char *what);

#endif
