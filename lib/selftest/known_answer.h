/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known-answer tests: the device computes on operands for which the host knows the right result. A
 * test has a key, the length of its operands, and a function that computes and compares. It runs
 * once for each key and context. */
#ifndef MPGPU_KNOWN_ANSWER_H
#define MPGPU_KNOWN_ANSWER_H

#include "lib/device/number.h"
#include "lib/device/residue.h"

/* The keys of known-answer tests. Each value is the number of a bit in s->known, which is set if
 * the device has passed the test. */
enum known_answer_key {
    /* KNOWN_NTT + i: a program of number-theoretic transforms. The size and the pass of the
     * transform determine i (lib/selftest/selftest.c). */
    KNOWN_NTT = 0,
    KNOWN_MINUS = 64, /* KNOWN_MINUS + i: the test KNOWN_NTT + i, for products modulo 2^k - 1 */
    KNOWN_PLUS = 128, /* KNOWN_PLUS + i: the test KNOWN_NTT + i, for products modulo 2^k + 1 */
    /* KNOWN_FFT + i: a program of floating-point transforms. The size and the pass of the transform
     * determine i (lib/selftest/selftest_products.c). */
    KNOWN_FFT = 192,
    /* KNOWN_SSA + i: passes of the method of Schoenhage and Strassen. Their size and modulus
     * determine i (lib/selftest/selftest_products.c). */
    KNOWN_SSA = 256,
    KNOWN_SMALL = 320, /* KNOWN_SMALL + i: small products of 2^i digits; i = 0: column by column */
    /* KNOWN_MODULAR + i: modular batches of 2^i words; KNOWN_MODULAR + 16 + i: the same, with
     * residues for the check */
    KNOWN_MODULAR = 384,
    KNOWN_EUCLID = 448,
    KNOWN_FIXED = 512, /* KNOWN_FIXED + i: fixed-point numbers of i words */
    /* KNOWN_MANDELBROT + i: views of the Mandelbrot set with numbers of i words */
    KNOWN_MANDELBROT = 544,
    /* KNOWN_BATCH + i: the program with number i, which computes on batches */
    KNOWN_BATCH = 576,
    KNOWN_OTHERS = KNOWN_BATCH + GPU_PROGRAMS,
    KNOWN_RESIDUES = KNOWN_OTHERS,
    KNOWN_SUMS,         /* sums computed by one work-group */
    KNOWN_LONGER_SUMS,  /* sums computed by a few work-groups */
    KNOWN_SETTLED_SUMS, /* sums by many work-groups, which resolve the carries themselves */
    KNOWN_LIMB,
    KNOWN_WINDOW,
    KNOWN_MERSENNE,
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

/* The state of a running test. Once `status` is not GPU_OK, all functions below do nothing. */
struct known_answer {
    struct context *s;
    enum gpu_status status;
    const void *plan; /* data that the caller passes to the test's function, such as a plan */
    size_t n;
    /* host: two operands of n words each; got: space for a result of 2 n words */
    uint32_t *host[2], *got;
    /* on the device: operands in SLOT_U and SLOT_V, the result of 2 n words in SLOT_R */
    struct number x[2], r;
    uint64_t residue[2]; /* residues of the operands modulo RESIDUE_MODULUS */
    unsigned buffers;    /* count of buffers that known_answer_alloc has allocated */
    gpu_mem mem[KNOWN_ANSWER_BUFFERS];
    size_t bytes[KNOWN_ANSWER_BUFFERS];
};

/* Evaluates `call`, which returns a gpu_status, and stores the status in t. Does nothing if an
 * earlier call has failed. */
#define KNOWN_ANSWER(t, call) ((t)->status == GPU_OK ? (void)((t)->status = (call)) : (void)0)

/* Runs a test, unless the device has already passed it. If the device passes, sets the bit of the
 * key in s->known. If n is not 0, `run` gets operands of n words that provoke carries. The tables
 * for checks are already on the device. Returns GPU_FAILED if a result is wrong. */
typedef void known_answer_run(struct known_answer *t);
enum gpu_status known_answer_ensure(struct context *s, unsigned key, size_t n,
                                    known_answer_run *run, const void *plan);
bool known_answer_has(const struct context *s, unsigned key);

/* Runs a test that has no key: it runs in each call, even if the device has passed it before. */
enum gpu_status known_answer_verify(struct context *s, size_t n, known_answer_run *run,
                                    const void *plan);

/* ---- functions that tests call */

/* Return a buffer of `words` words. known_answer_buffer returns a buffer of the context.
 * known_answer_alloc returns a new buffer of zeros, which is released when the test ends. */
gpu_mem known_answer_buffer(struct known_answer *t, enum context_slot slot, uint64_t words);
gpu_mem known_answer_alloc(struct known_answer *t, uint64_t words);

/* known_answer_up copies `words` words from the host to word `at` of a buffer. known_answer_down
 * copies them from the buffer to the host. */
void known_answer_up(struct known_answer *t, gpu_mem mem, uint64_t at, const void *x, size_t words);
void known_answer_down(struct known_answer *t, void *x, gpu_mem mem, uint64_t at, size_t words);

/* Fails the test if is_right is false; the device is then not used any more. `what` and `words` are
 * for the message. */
void known_answer_expect(struct known_answer *t, bool is_right, const char *what, size_t words);

/* known_answer_compare downloads words of a buffer, beginning with word `at`, to t->got, and
 * compares them with `right`. known_answer_residue compares the residue of the first words of the
 * result t->r with `right`. */
void known_answer_compare(struct known_answer *t, gpu_mem mem, uint64_t at, const uint32_t *right,
                          size_t words, const char *what);
void known_answer_residue(struct known_answer *t, size_t words, uint64_t right, const char *what);

/* Compares the result t->r with the product of both operands, or with the square of the first one,
 * by residues. */
void known_answer_product(struct known_answer *t, bool is_square, const char *what);

/* Compute on the host, in words of 32 bits. known_answer_addmul: adds c {x, xn} to {r, rn}, where
 * xn <= rn, and returns the carry out. known_answer_mul: sets {r, un + vn} to {u, un} {v, vn}. */
uint32_t known_answer_addmul(uint32_t *r, size_t rn, const uint32_t *x, size_t xn, uint32_t c);
void known_answer_mul(uint32_t *r, const uint32_t *u, size_t un, const uint32_t *v, size_t vn);

/* ---- for others */

/* Evaluates the test of an optional ability of a device. Sets *way, a member of the device's caps,
 * to false if the ability does not work: a result was wrong, a call failed, or the kernel is
 * missing. Returns true in this case, and the device can still be used; otherwise returns false. */
bool known_answer_without(struct context *s, enum gpu_status status, bool *way, const char *what);

#endif
