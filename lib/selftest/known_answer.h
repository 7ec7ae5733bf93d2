/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known-answer tests: the device computes on operands for which the host knows the right result. A
 * test has a key, the length of its operands, and a function that computes and compares. It runs
 * only once for each key; programs that share a device also share the list of tests that it has
 * passed. */
#ifndef MPGPU_KNOWN_ANSWER_H
#define MPGPU_KNOWN_ANSWER_H

#include "lib/device/number.h"
#include "lib/device/residue.h"

/* The keys of known-answer tests. Each value is the number of a bit in s->known, which is set if
 * the device has passed the test. */
enum known_answer_key {
    /* KNOWN_NTT + i: a program of number-theoretic transforms. i depends on the size and the pass
     * of the transform (lib/selftest/selftest.c). */
    KNOWN_NTT = 0,
    KNOWN_MINUS = 64, /* key + i: the tests of KNOWN_NTT for products modulo B^n - 1 */
    KNOWN_PLUS = 128, /* key + i: the tests of KNOWN_NTT for products modulo B^n + 1 */
    /* KNOWN_FFT + i: a program of floating-point transforms. i depends on the size and the pass of
     * the transform (lib/selftest/selftest_products.c). */
    KNOWN_FFT = 192,
    /* key + i: passes of the method of Schoenhage and Strassen. i depends on their size and modulus
     * (lib/selftest/selftest_products.c). */
    KNOWN_SSA = 256,
    KNOWN_SMALL = 320, /* key + i: small products of 2^i digits; key: column by column */
    /* key + i: modular batches of 2^i words; key + 16 + i: with residues for the check */
    KNOWN_MODULAR = 384,
    KNOWN_EUCLID = 448,
    KNOWN_FIXED = 512,      /* key + i: fixed-point numbers of i words */
    KNOWN_MANDELBROT = 544, /* key + i: views of the Mandelbrot set, i words */
    KNOWN_BATCH = 576,      /* key + i: program i, which computes on batches */
    KNOWN_OTHERS = KNOWN_BATCH + GPU_PROGRAMS,
    KNOWN_RESIDUES = KNOWN_OTHERS,
    KNOWN_SUMS,         /* sums computed by one work-group */
    KNOWN_LONGER_SUMS,  /* sums computed by a few work-groups */
    KNOWN_SETTLED_SUMS, /* sums by many work-groups, which resolve the carries themselves */
    KNOWN_LIMB,
    KNOWN_WINDOW,
    KNOWN_TREE,
    KNOWN_POLY,
    KNOWN_RADIX,
    KNOWN_BARRETT,
    KNOWN_HALVES,
    KNOWN_REMAINDER,
    KNOWN_DIVIDE,
    KNOWN_END
};

enum { KNOWN_ANSWER_BUFFERS = 6 };

/* The state of a running test. Once `status` is not GPU_OK, the functions of this header do
 * nothing. */
struct known_answer {
    struct context *s;
    enum gpu_status status;
    const void *plan; /* data for the test's function, such as a plan */
    size_t n;
    uint32_t *host[2], *got; /* two operands of n words each; space for a result of 2 n words */
    struct number x[2], r;   /* operands in SLOT_U and SLOT_V; the result of 2 n words in SLOT_R */
    uint64_t residue[2];     /* residues of the operands modulo RESIDUE_MODULUS */
    unsigned buffers;        /* count of buffers of known_answer_alloc */
    gpu_mem mem[KNOWN_ANSWER_BUFFERS];
    size_t bytes[KNOWN_ANSWER_BUFFERS];
};

/* Makes a call that returns a gpu_status and stores the status, unless an earlier call has
 * failed. */
#define KNOWN_ANSWER(t, call) ((t)->status == GPU_OK ? (void)((t)->status = (call)) : (void)0)

/* Runs a test, unless the device has passed it; if it passes now, sets the bit of the key in
 * s->known. If n is not 0, `run` gets operands of n words that provoke carries. The tables for
 * checks are on the device. Returns GPU_FAILED if a result is wrong. */
typedef void known_answer_run(struct known_answer *t);
enum gpu_status known_answer_ensure(struct context *s, unsigned key, size_t n,
                                    known_answer_run *run, const void *plan);
bool known_answer_has(const struct context *s, unsigned key);

/* Runs a test that has no key. Such a test runs in each call, even if the device has passed it. */
enum gpu_status known_answer_verify(struct context *s, size_t n, known_answer_run *run,
                                    const void *plan);

/* ---- functions for tests */

/* Return a buffer of `words` words. known_answer_buffer returns a buffer of the context.
 * known_answer_alloc returns a new buffer of zeros, which is released when the test ends. */
gpu_mem known_answer_buffer(struct known_answer *t, enum context_slot slot, uint64_t words);
gpu_mem known_answer_alloc(struct known_answer *t, uint64_t words);

/* known_answer_up copies words from the host to word `at` of a buffer. known_answer_down copies
 * them back. */
void known_answer_up(struct known_answer *t, gpu_mem mem, uint64_t at, const void *x, size_t words);
void known_answer_down(struct known_answer *t, void *x, gpu_mem mem, uint64_t at, size_t words);

/* Reports the result of a comparison. If is_right is false, the test fails and the device is not
 * used any more. */
void known_answer_expect(struct known_answer *t, bool is_right, const char *what, size_t words);

/* known_answer_compare downloads words from word `at` of a buffer to t->got, and compares them with
 * `right`. known_answer_residue compares the residue of the first words of the result t->r with
 * `right`. */
void known_answer_compare(struct known_answer *t, gpu_mem mem, uint64_t at, const uint32_t *right,
                          size_t words, const char *what);
void known_answer_residue(struct known_answer *t, size_t words, uint64_t right, const char *what);

/* Compares the result t->r with the product of both operands, or with the square of the first one,
 * by residues. */
void known_answer_product(struct known_answer *t, bool is_square, const char *what);

/* Compute on the host, in words of 32 bits. known_answer_addmul: {r, rn} += c {x, xn}, xn <= rn;
 * returns the carry out. known_answer_mul: {r, un + vn} = {u, un} {v, vn}. */
uint32_t known_answer_addmul(uint32_t *r, size_t rn, const uint32_t *x, size_t xn, uint32_t c);
void known_answer_mul(uint32_t *r, const uint32_t *u, size_t un, const uint32_t *v, size_t vn);

/* ---- for others */

/* Sets *way, a special ability of a device in its caps, to false if the test's status shows that it
 * does not work: a result was wrong, a call failed, or the kernel is missing. Returns true if the
 * device can still be used, without this ability. */
bool known_answer_without(struct context *s, enum gpu_status status, bool *way, const char *what);

#endif
