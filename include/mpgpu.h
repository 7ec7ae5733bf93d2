/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-gmp's own functions.  A program needs none of them: linked with the
 * library or run under mpgpu-run, its GMP calls go to the device by themselves. */
#ifndef MPGPU_H
#define MPGPU_H

#include <stddef.h>

#include <gmp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version, "major.minor.patch"; a static string. */
const char *mpgpu_version(void);

/* Waits until the device is open, so that the first large product finds it
 * there. 1 if there is one, 0 if none can be used, or none is there yet and this is a
 * handler of a signal.  Any thread, any number of times; at the first call it may take
 * seconds. */
int mpgpu_wait(void);

/* How many operations the device has computed in this process so far; a division or a power
 * counts once. */
unsigned long mpgpu_sent(void);

/* ---- batches: many numbers of the same length, for the same operation on all of them at once
 *
 * A batch lies on the device from the threshold `batch` on (its limbs in all), else, or where there
 * is no device, in host memory, where GMP computes: results are the same.  What lies on the device
 * stays there from one operation to the next.  Where an operation fails on the device, its operands
 * come back to the host and GMP does it; a batch that cannot be brought back, from a device that
 * does not answer any more or in a child of fork, is lost, and its use says so.
 *
 * Different threads may use different batches at the same time; one batch, as an operand too, only
 * one thread.  All functions that return an int return 0 or one of these, and then change no batch
 * but that the result may hold anything: */
enum {
    MPGPU_ARGUMENTS = 1, /* batches that do not fit together */
    MPGPU_NO_MEMORY,     /* host memory is exhausted */
    MPGPU_LOST /* an operand was on a device that is gone; mpgpu_batch_set gives it anew */
};

/* What the last of them that failed in this thread has to say; "" if none did.  A static string. */
const char *mpgpu_error(void);

typedef struct mpgpu_batch mpgpu_batch;

/* `count` numbers of n limbs each, all 0; count and n at least 1.  NULL where that can't be. */
mpgpu_batch *mpgpu_batch_create(size_t count, size_t n);
void mpgpu_batch_destroy(mpgpu_batch *b); /* b may be NULL */

size_t mpgpu_batch_count(const mpgpu_batch *b);
size_t mpgpu_batch_limbs(const mpgpu_batch *b);  /* of each number: n */
int mpgpu_batch_on_device(const mpgpu_batch *b); /* 1 if it lies there now */

/* r = {up, count n}, number i from up + i n on; and back. */
int mpgpu_batch_set(mpgpu_batch *r, const mp_limb_t *up);
int mpgpu_batch_get(mp_limb_t *rp, mpgpu_batch *u);

/* Number i of r = number i of u op number i of v.  All have the same count and the same n, but r of
 * mul and sqr, which has twice as many limbs; r of others may be u or v, which may be the same.
 * cy, if not NULL, is a batch of as many numbers of one limb each, none of the others: the carries
 * or borrows, 0 or 1.  mullo gives the low n limbs of the product. */
int mpgpu_batch_add(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *u, mpgpu_batch *v);
int mpgpu_batch_sub(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *u, mpgpu_batch *v);
int mpgpu_batch_mul(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v);
int mpgpu_batch_mullo(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v);
int mpgpu_batch_sqr(mpgpu_batch *r, mpgpu_batch *u);

/* r = the sum of u[0] to u[terms - 1], those subtracted whose bit in `minus` is set; 1 to
 * MPGPU_TERMS of them, any of which may be r or the same.  In one pass over memory.  cy: what
 * belongs on top of n limbs, as a limb with a sign. */
#define MPGPU_TERMS 8
int mpgpu_batch_sum(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *const *u, unsigned terms,
                    unsigned minus);

/* `count` products of numbers in host memory in one call: {rp + 2 n i, 2 n}, or of mullo {rp + n i,
 * n}, from {up + n i, n} and {vp + n i, n}.  rp overlaps neither. */
int mpgpu_batch_mul_n(mp_limb_t *rp, const mp_limb_t *up, const mp_limb_t *vp, size_t n,
                      size_t count);
int mpgpu_batch_sqr_n(mp_limb_t *rp, const mp_limb_t *up, size_t n, size_t count);
int mpgpu_batch_mullo_n(mp_limb_t *rp, const mp_limb_t *up, const mp_limb_t *vp, size_t n,
                        size_t count);

#ifdef __cplusplus
}
#endif

#endif
