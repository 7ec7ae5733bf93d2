/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions shared by the tests of the kernels on the host. */
#ifndef MPGPU_TEST_KERNEL_TRIALS_H
#define MPGPU_TEST_KERNEL_TRIALS_H

#include "lib/device/number.h"
#include "tests/support/backends.h"

/* Opens the emulated device in the child process of a test. Form 0 has the kernels for OpenCL,
 * form 1 those for GPUs whose groups can wait for one another. */
enum { KERNEL_FORMS = 2 };
void open_host(enum conf_algorithm algorithm);
void open_form(int form, enum conf_algorithm algorithm);

/* Releases the device's buffers.  Then calls work(s, context), unless `work` is NULL.  So `work`
 * gets new buffers, of exactly the sizes that it asks for. */
void with_device(enum gpu_status (*work)(struct context *s, void *context), void *context);

/* Makes the context run known-answer tests again, even for kernels that host_share has marked as
 * verified. */
enum gpu_status forget_known(struct context *s, void *unused);

/* number_up allocates a number in a buffer of the context (a slot) and uploads {x, words}, unless x
 * is NULL. number_above does the same, but the number does not begin at the buffer's begin.
 * number_down downloads a number. */
struct number number_up(struct context *s, enum context_slot slot, const uint32_t *x,
                        uint64_t words);
struct number number_above(struct context *s, enum context_slot slot, const uint32_t *x,
                           uint64_t words);
void number_down(struct context *s, uint32_t *to, struct number x);

/* words_up allocates memory and uploads {x, words} unless x is NULL.  words_down downloads to `to`
 * unless it is NULL, and frees the memory.
 */
gpu_mem words_up(struct context *s, const uint32_t *x, uint64_t words);
void words_down(struct context *s, uint32_t *to, gpu_mem mem, uint64_t words);

/* Sets `to` to the number {x, n}, in words of 32 bits. */
void number_of_words(mpz_t to, const uint32_t *x, size_t n);

/* Checks that {r, un + vn} is the product of {u, un} and {v, vn}, all in words. */
void check_words(const uint32_t *r, const uint32_t *u, size_t un, const uint32_t *v, size_t vn);

/* Fills {x, n} with random words that contain runs of ones and zeros (testing_limbs). */
void testing_words(uint32_t *x, size_t n);

/* Adds a test to a test case, as Check's macros do. If the environment variable MPGPU_TEST_LOOPS is
 * set, adds only the loops that it names: words NAME:LOOP, each with a blank after it. If it is
 * empty, prints all of these words. */
#define _tcase_add_test trials_add
void trials_add(TCase *tests, const TTest *test, int signal, int exit_value, int start, int end);

/* The tests. */
void add_faults(TCase *tests);     /* faults.c: deliberate faults that must be detected */
void add_ffts(TCase *tests);       /* ffts.c: floating-point transforms */
void add_passes(TCase *tests);     /* passes.c: single passes of transforms */
void add_transforms(TCase *tests); /* transforms.c: products by long transforms */
void add_small(TCase *tests);      /* small.c: products inside work-groups */
void add_low_sums(TCase *tests); /* low_sums.c: the device's check of sums of products modulo B^n */
void add_jobs(TCase *tests);     /* jobs.c: operations of lib/job/ops.def */
void add_sums(TCase *tests);     /* sums.c: sums, digits */
void add_halves(TCase *tests);   /* halves.c: products modulo B^(2n) - 1 from two smaller ones */
void add_remainders(TCase *tests); /* remainders.c: remainders by products modulo B^w - 1 */
void add_fixed(TCase *tests);      /* fixed.c: fixed-point numbers, views of the Mandelbrot set */
void add_selftests(TCase *tests);  /* selftests.c: self-tests must fail if kernels do nothing */

#endif
