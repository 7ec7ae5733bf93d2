/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Functions shared by the tests of the kernels on the host. */
#ifndef MPGPU_TEST_KERNEL_TRIALS_H
#define MPGPU_TEST_KERNEL_TRIALS_H

#include "lib/device/number.h"
#include "tests/support/backends.h"

/* Opens the device in the child of a test.  Form 0 of KERNEL_FORMS has the kernels as for OpenCL,
 * form 1 as for GPUs whose groups can wait for one another. */
enum { KERNEL_FORMS = 2 };
void open_host(enum conf_algorithm algorithm);
void open_form(int form, enum conf_algorithm algorithm);

/* Runs `work`, unless that is NULL, with the device, whose buffers are released before: new ones
 * have just the size that the work asks for. */
void with_device(enum gpu_status (*work)(struct context *s, void *context), void *context);

/* Makes the context run known-answer tests, also of kernels that host_share has called verified. */
enum gpu_status forget_known(struct context *s, void *unused);

/* A number in a slot, from {x, words} in host memory, which may be NULL; and back. */
struct number number_up(struct context *s, enum context_slot slot, const uint32_t *x,
                        uint64_t words);
void number_down(struct context *s, uint32_t *to, struct number x);

/* words_up allocates memory and uploads {x, words} unless x is NULL.  words_down downloads to `to`
 * unless it is NULL, and frees the memory.
 */
gpu_mem words_up(struct context *s, const uint32_t *x, uint64_t words);
void words_down(struct context *s, uint32_t *to, gpu_mem mem, uint64_t words);

/* to = {x, n} */
void number_of_words(mpz_t to, const uint32_t *x, size_t n);

/* {r, un + vn} is the product of {u, un} and {v, vn}, in words. */
void check_words(const uint32_t *r, const uint32_t *u, size_t un, const uint32_t *v, size_t vn);

/* {x, n} as testing_limbs makes them. */
void testing_words(uint32_t *x, size_t n);

/* The tests. */
void add_faults(TCase *tests);     /* faults.c: faults that must be found */
void add_ffts(TCase *tests);       /* ffts.c: floating-point transforms */
void add_passes(TCase *tests);     /* passes.c: single passes of transforms */
void add_transforms(TCase *tests); /* transforms.c: products by long transforms */
void add_small(TCase *tests);      /* small.c: products inside work-groups */
void add_low_sums(TCase *tests);   /* low_sums.c: sums of low products, checked */
void add_jobs(TCase *tests);       /* jobs.c: operations of lib/job/ops.def */
void add_sums(TCase *tests);       /* sums.c: sums, digits */
void add_halves(TCase *tests);     /* halves.c: products from their halves */
void add_remainders(TCase *tests); /* remainders.c: remainders by products that wrap round */
void add_fixed(TCase *tests);      /* fixed.c: fixed point, views of the Mandelbrot set */
void add_selftests(TCase *tests);  /* selftests.c: self-tests find kernels that do nothing */

#endif
