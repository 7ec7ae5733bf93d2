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
    MPGPU_ARGUMENTS = 1, /* what does not fit together */
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

/* Number i of r = the greatest common divisor of number i of u and of v; 0 of two zeros.  All have
 * the same count and n; r may be u or v, which may be the same. */
int mpgpu_batch_gcd(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v);

/* Number i of r = the inverse of number i of u modulo number i of m, below that, and of `exists` 1;
 * where there is none both are 0.  Modulo 1 it is 0.  `exists` has one limb a number, and is none of
 * the others; they have the same n, r and u the same count, m that or 1: one modulus for all.  r may
 * be u or m.  MPGPU_DIVIDE_BY_ZERO where a modulus is 0, and then nothing has changed. */
int mpgpu_batch_mod_inv(mpgpu_batch *r, mpgpu_batch *exists, mpgpu_batch *u, mpgpu_batch *m);

/* Number i of n = number i of q times number i of d, and number i of r, which is below that of d.
 * n has from as many limbs as d to twice as many; q as many as n, r as many as d.  All have the same
 * count; d that or 1: one divisor for all.  q or r may be NULL, and either may be n or d where it
 * has its limbs.  MPGPU_DIVIDE_BY_ZERO where a divisor is 0, and then nothing has changed. */
int mpgpu_batch_tdiv_qr(mpgpu_batch *q, mpgpu_batch *r, mpgpu_batch *n, mpgpu_batch *d);

/* `count` products of numbers in host memory in one call: {rp + 2 n i, 2 n}, or of mullo {rp + n i,
 * n}, from {up + n i, n} and {vp + n i, n}.  rp overlaps neither. */
int mpgpu_batch_mul_n(mp_limb_t *rp, const mp_limb_t *up, const mp_limb_t *vp, size_t n,
                      size_t count);
int mpgpu_batch_sqr_n(mp_limb_t *rp, const mp_limb_t *up, size_t n, size_t count);
int mpgpu_batch_mullo_n(mp_limb_t *rp, const mp_limb_t *up, const mp_limb_t *vp, size_t n,
                        size_t count);

/* ---- numbers of any length that stay on the device
 *
 * Signed integers without bound, as those of an mpz_t.  Operations are recorded in a queue and
 * return at once.  They are computed when a result is asked for, by mpgpu_queue_finish, or when
 * much is recorded; then the device works them off in one go and the host waits once.
 *
 * At that time every number that has changed comes to the host too, so that none is ever lost:
 * where there is no device, the numbers are below the threshold (that of powers modulo m), or the
 * device fails, GMP computes what was recorded on the host, with the same results; so also in a
 * child of fork.  Every result is checked on the device, as mpgpu-gmp(7) says of `verify`; with
 * verify:residue and verify:full the operations are GMP's calls.
 *
 * A queue with its numbers and moduli may be used by one thread at a time, different queues at the
 * same time.  Results may be operands, and operands the same number.  Functions that return an int
 * return 0, MPGPU_ARGUMENTS (of different queues, an exponent below 0, a base that is none of 2 to
 * 62), MPGPU_NO_MEMORY, or one of these; the numbers keep their values then. */
enum {
    MPGPU_DIVIDE_BY_ZERO = 4,
    MPGPU_TOO_LARGE /* more bits than an mpz_t can have */
};

typedef struct mpgpu_queue mpgpu_queue;
typedef struct mpgpu_number mpgpu_number;
typedef struct mpgpu_modulus mpgpu_modulus;

mpgpu_queue *mpgpu_queue_create(void);    /* NULL without memory */
void mpgpu_queue_destroy(mpgpu_queue *q); /* stays until its last number or modulus is destroyed */
int mpgpu_queue_finish(mpgpu_queue *q);   /* computes all that is recorded */

mpgpu_number *mpgpu_number_create(mpgpu_queue *q); /* 0; NULL without memory */
void mpgpu_number_destroy(mpgpu_number *x);        /* x may be NULL */

/* r = u, from a number, an mpz_t or a word; no limbs are copied from a number. */
int mpgpu_number_set(mpgpu_number *r, const mpgpu_number *u);
int mpgpu_number_set_mpz(mpgpu_number *r, mpz_srcptr u);
int mpgpu_number_set_ui(mpgpu_number *r, unsigned long u);
int mpgpu_number_swap(mpgpu_number *u, mpgpu_number *v);

/* Results: these compute what is recorded, unless u, and v, are there.  The bits of 0 are 0; sign
 * and order are -1, 0 or 1, order that of u - v.  text is from malloc, and to be freed. */
int mpgpu_number_get_mpz(mpz_ptr w, mpgpu_number *u);
int mpgpu_number_get_str(char **text, mpgpu_number *u, int base);
int mpgpu_number_bits(size_t *bits, mpgpu_number *u);
int mpgpu_number_sign(int *sign, mpgpu_number *u);
int mpgpu_number_cmp(int *order, mpgpu_number *u, mpgpu_number *v);

/* These do not: at most so many bits; 1 if its value lies on the device, 0 if on the host alone or
 * still to be computed. */
size_t mpgpu_number_bits_most(const mpgpu_number *u);
int mpgpu_number_on_device(const mpgpu_number *u);

/* A sum of numbers of different signs, or a difference of the same, has a sign that only its value
 * tells: an operation on it computes what is recorded first. */
int mpgpu_number_neg(mpgpu_number *r, mpgpu_number *u);
int mpgpu_number_add(mpgpu_number *r, mpgpu_number *u, mpgpu_number *v);
int mpgpu_number_sub(mpgpu_number *r, mpgpu_number *u, mpgpu_number *v);
int mpgpu_number_mul(mpgpu_number *r, mpgpu_number *u, mpgpu_number *v);
int mpgpu_number_sqr(mpgpu_number *r, mpgpu_number *u);

/* u 2^bits; u / 2^bits rounded towards 0. */
int mpgpu_number_mul_2exp(mpgpu_number *r, mpgpu_number *u, size_t bits);
int mpgpu_number_tdiv_q_2exp(mpgpu_number *r, mpgpu_number *u, size_t bits);

/* n = q d + r, r with the sign of n, as mpz_tdiv_qr; q or r may be NULL, and they differ.  A
 * divisor that is still to be computed is computed first.  mod: 0 <= r < |d|, as mpz_mod. */
int mpgpu_number_tdiv_qr(mpgpu_number *q, mpgpu_number *r, mpgpu_number *n, mpgpu_number *d);
int mpgpu_number_mod(mpgpu_number *r, mpgpu_number *n, mpgpu_number *d);

/* |m| with its reciprocal, for many reductions; the value of m now.  NULL where m is 0 or there is
 * no memory (mpgpu_error tells). */
mpgpu_modulus *mpgpu_modulus_create(mpgpu_number *m);
void mpgpu_modulus_destroy(mpgpu_modulus *m); /* m may be NULL */

/* Modulo |m|, 0 <= r < |m|: u; u v; u^2; u^e, 0 <= e, where 0^0 = 1 (and 0 modulo 1). */
int mpgpu_modulus_reduce(mpgpu_number *r, mpgpu_number *u, mpgpu_modulus *m);
int mpgpu_modulus_mul(mpgpu_number *r, mpgpu_number *u, mpgpu_number *v, mpgpu_modulus *m);
int mpgpu_modulus_sqr(mpgpu_number *r, mpgpu_number *u, mpgpu_modulus *m);
int mpgpu_modulus_pow(mpgpu_number *r, mpgpu_number *u, mpz_srcptr e, mpgpu_modulus *m);

#ifdef __cplusplus
}
#endif

#endif
