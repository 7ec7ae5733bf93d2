/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers: operands for which the device computes what the host knows.  A self-test is a key,
 * the length of its operands and a function that computes and compares.  It runs once for each key,
 * and programs that share a device share what is known. */
#ifndef MPGPU_KNOWN_ANSWER_H
#define MPGPU_KNOWN_ANSWER_H

#include "lib/device/number.h"
#include "lib/device/residue.h"

/* What is verified: bits of s->known, from these on. */
enum known_answer_key {
    KNOWN_NTT = 0,       /* a program in a role (lib/selftest/selftest.c) */
    KNOWN_MINUS = 64,    /* the same for products modulo B^n - 1, */
    KNOWN_PLUS = 128,    /* and B^n + 1 */
    KNOWN_FFT = 192,     /* a program in a role (lib/selftest/selftest_products.c) */
    KNOWN_SSA = 256,     /* a pass or a size of coefficients */
    KNOWN_SMALL = 320,   /* small products of 2^i digits; 0: column by column */
    KNOWN_MODULAR = 384, /* numbers of 2^i words; 16 higher: with a trace for the check */
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

/* A self-test under way.  Once `status` is not GPU_OK none of the functions below does anything. */
struct known_answer {
    struct context *s;
    enum gpu_status status;
    const void *plan; /* what the test is of */
    size_t n;
    uint32_t *host[2], *got; /* operands of n words; room for 2 n */
    struct number x[2], r;   /* in SLOT_U, SLOT_V and SLOT_R; the latter of 2 n words */
    uint64_t residue[2];     /* of the operands modulo RESIDUE_MODULUS */
    unsigned buffers;        /* of known_answer_alloc */
    gpu_mem mem[KNOWN_ANSWER_BUFFERS];
    size_t bytes[KNOWN_ANSWER_BUFFERS];
};

/* A step of a test: a call that returns a gpu_status. */
#define KNOWN_ANSWER(t, call) ((t)->status == GPU_OK ? (void)((t)->status = (call)) : (void)0)

/* Runs the test unless s->known has the key, which it gets if the test is passed.  `run` finds
 * operands of n words that break carries, unless n is 0, and the check's tables on the device.
 * GPU_FAILED where an answer is wrong. */
typedef void known_answer_run(struct known_answer *t);
enum gpu_status known_answer_ensure(struct context *s, unsigned key, size_t n,
                                    known_answer_run *run, const void *plan);
bool known_answer_has(const struct context *s, unsigned key);

/* The same without a key: each time. */
enum gpu_status known_answer_verify(struct context *s, size_t n, known_answer_run *run,
                                    const void *plan);

/* ---- within a test */

/* Return a buffer of `words` words: that of a slot; or a new one, of zeros, which is released when
 * the test ends. */
gpu_mem known_answer_buffer(struct known_answer *t, enum context_slot slot, uint64_t words);
gpu_mem known_answer_alloc(struct known_answer *t, uint64_t words);

/* Copies to and from word `at` of a buffer. */
void known_answer_up(struct known_answer *t, gpu_mem mem, uint64_t at, const void *x, size_t words);
void known_answer_down(struct known_answer *t, void *x, gpu_mem mem, uint64_t at, size_t words);

/* What the test says: if it is not right, the device is left alone. */
void known_answer_expect(struct known_answer *t, bool is_right, const char *what, size_t words);

/* Compares a buffer from word `at` on, which comes to `got`, with `right`; the first words of the
 * result with a residue. */
void known_answer_compare(struct known_answer *t, gpu_mem mem, uint64_t at, const uint32_t *right,
                          size_t words, const char *what);
void known_answer_residue(struct known_answer *t, size_t words, uint64_t right, const char *what);

/* The same with the product of the operands, or with the first one's square. */
void known_answer_product(struct known_answer *t, bool is_square, const char *what);

/* On the host: {r, rn} += c {x, xn}, xn <= rn, with the carry out; {r, un + vn} = {u, un} {v, vn}.
 */
uint32_t known_answer_addmul(uint32_t *r, size_t rn, const uint32_t *x, size_t xn, uint32_t c);
void known_answer_mul(uint32_t *r, const uint32_t *u, size_t un, const uint32_t *v, size_t vn);

/* ---- for others */

/* Whether the context goes on without a way of computing that its device has and others have not:
 * *way, of its caps, which becomes false.  That is where known answers by it were wrong, or their
 * check or a call failed, or its kernel is not there. */
bool known_answer_without(struct context *s, enum gpu_status status, bool *way, const char *what);

#endif
