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
 * does not answer any more or in a child of fork, is lost, and its use says so.  So is a batch whose
 * numbers have changed in the device's memory: unless verify:off is set, every use compares a
 * residue of the batch that the host keeps, mpgpu_batch_get included.  Batches that do
 * not fit the device's memory are computed there in pieces, and their results lie in host memory.
 * Where several devices are open (the option `device`) each has a range of the numbers.
 *
 * Different threads may use different batches at the same time; one batch, as an operand too, only
 * one thread.  All functions that return an int return 0 or one of these, and then change no batch
 * but that the result may hold anything: */
enum {
    MPGPU_ARGUMENTS = 1, /* what does not fit together, or a NULL that is not allowed */
    MPGPU_NO_MEMORY,     /* host memory is exhausted; but limbs of an mpz_t that is a result come
                            from GMP's memory functions, which end the program if there are none,
                            and so may the functions that mpgpu_tree_split calls */
    MPGPU_LOST /* an operand was on a device that is gone, or its numbers have changed there;
                  mpgpu_batch_set gives it anew */
};

/* What the last of them that failed in this thread has to say; "" if none did.  It stays until
 * the next that fails in this thread. */
const char *mpgpu_error(void);

typedef struct mpgpu_batch mpgpu_batch;

/* `count` numbers of n limbs each, all 0; count and n at least 1.  NULL where that can't be. */
mpgpu_batch *mpgpu_batch_create(size_t count, size_t n);
void mpgpu_batch_destroy(mpgpu_batch *b); /* b may be NULL */

/* 0 if b is NULL. */
size_t mpgpu_batch_count(const mpgpu_batch *b);
size_t mpgpu_batch_limbs(const mpgpu_batch *b);  /* of each number: n */
int mpgpu_batch_on_device(const mpgpu_batch *b); /* 1 if it lies there now */

/* r = {up, count n}, number i from up + i n on; and back. */
int mpgpu_batch_set(mpgpu_batch *r, const mp_limb_t *up);
int mpgpu_batch_get(mp_limb_t *rp, mpgpu_batch *u);

/* r = up[0] to up[count - 1], none negative or longer than n limbs: else MPGPU_ARGUMENTS, of which
 * mpgpu_error names the number, and nothing has changed.  And back: rp[0] to rp[count - 1], which
 * are initialised, become the numbers of u; after an error they may hold any values.  Several
 * threads of the library's own copy limbs; the calling thread alone calls the program's memory
 * functions. */
int mpgpu_batch_set_mpz(mpgpu_batch *r, const mpz_t *up);
int mpgpu_batch_get_mpz(mpz_t *rp, mpgpu_batch *u);

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

/* r, a batch of as many numbers of one limb, says how the numbers of u and v compare, which have
 * the same n: 0 where they are equal, 1 where that of u is greater, all ones (-1 as a signed limb)
 * where it is less.  Any of them may be the same. */
int mpgpu_batch_cmp(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v);

/* Number i of r = number i of u where number i of c, of one limb, is not 0, else that of v.  r, u
 * and v have the same n and all the same count; any of them may be the same. */
int mpgpu_batch_select(mpgpu_batch *r, mpgpu_batch *c, mpgpu_batch *u, mpgpu_batch *v);
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

/* ---- batches modulo numbers
 *
 * A modulus object keeps what depends on the modulus alone: m has one number, for all numbers of a
 * batch, or as many as the batch, one each.  It is a copy, also on the host, from which it is made
 * anew if its device is lost, as in a child of fork; m may change or go afterwards.  NULL
 * where a modulus is zero (mpgpu_error says so), or there is no memory.  It is used by one thread
 * at a time.
 *
 * Moduli of up to 4096 limbs are for the device, longer ones for GMP's functions, with the same
 * results.  Batches of odd ones of up to 128 limbs are faster than those with an even one. */
typedef struct mpgpu_batch_modulus mpgpu_batch_modulus;
mpgpu_batch_modulus *mpgpu_batch_modulus_create(mpgpu_batch *m);
void mpgpu_batch_modulus_destroy(mpgpu_batch_modulus *m); /* m may be NULL */

/* Number i of r = number i of u op number i of v, modulo number i of m, at least 0 and below it.
 * r, u and v have as many limbs a number as m has, u of mpgpu_batch_mod as many or twice as many.
 * Operands need not be below m.  r may be u or v, which may be the same. */
int mpgpu_batch_mod(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch_modulus *m);
int mpgpu_batch_mod_add(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v, mpgpu_batch_modulus *m);
int mpgpu_batch_mod_sub(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v, mpgpu_batch_modulus *m);
int mpgpu_batch_mod_mul(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v, mpgpu_batch_modulus *m);
int mpgpu_batch_mod_sqr(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch_modulus *m);

/* r and exists as mpgpu_batch_mod_inv has them, of u modulo m: inverses below m and 1, or 0 and 0
 * number by number; u has as many limbs a number as m.  r may be u. */
int mpgpu_batch_mod_invert(mpgpu_batch *r, mpgpu_batch *exists, mpgpu_batch *u,
                           mpgpu_batch_modulus *m);

/* r = u^e.  e has one number, for all, or one each, of any length; u^0 is 1 modulo m. */
int mpgpu_batch_mod_pow(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *e, mpgpu_batch_modulus *m);

/* The same for secret exponents and odd moduli, MPGPU_ARGUMENTS for even ones: on the device the
 * instructions and the addresses do not depend on the bits of e or u, and what was computed from
 * them in between is cleared; e, u and r stay where they are.  GMP's mpz_powm_sec takes its place
 * on the host, where e = 0 alone takes another way. */
int mpgpu_batch_mod_pow_sec(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *e, mpgpu_batch_modulus *m);

/* Number i of r, of one limb, is 1 where number i of u is a prime or a pseudoprime to all of
 * `count` bases, of a limb each and not 0, else 0.  MPGPU_FERMAT: a^(u-1) = 1 modulo u;
 * MPGPU_MILLER_RABIN, which fewer composite numbers pass: of a^d, d the odd part of u - 1, and its
 * squares before that power, the first is 1 or one is -1.  A base that u divides says nothing.
 * 0, 1 and the even numbers above 2 are never pseudoprimes: their result is 0.  r may be u. */
enum { MPGPU_FERMAT, MPGPU_MILLER_RABIN };
int mpgpu_batch_probable_prime(mpgpu_batch *r, mpgpu_batch *u, const mp_limb_t *bases,
                               size_t count, int kind);
/* ---- expressions: programs of operations on batches, recorded once and run many times
 *
 * On the device an expression is one launch where its numbers are short enough, and what lies
 * between operands and results stays in registers; else it goes launch by launch.  Operands are
 * batches of n limbs a number.  Each call records an operation and returns its node, a number from
 * 0 on, or -1 after which nothing more can be recorded (mpgpu_error tells why): at most 64 nodes,
 * which a number that is lengthened takes too.
 *
 * Operands have n limbs, a product in full twice as many as its factors, at most 8 n, and all else
 * as many as its operands; of several operands the shorter ones are taken with zeros on top.  What
 * a sum carries beyond its limbs is lost; resized operands keep it.  An expression may be recorded
 * by one thread at a time, and once finished be run by any, also at the same time. */
typedef struct mpgpu_expression mpgpu_expression;
#define MPGPU_EXPRESSION_OPERANDS 8
#define MPGPU_EXPRESSION_RESULTS 3

/* Of 1 to 8 operands; NULL where that can't be.  e of destroy may be NULL. */
mpgpu_expression *mpgpu_expression_create(unsigned operands);
void mpgpu_expression_destroy(mpgpu_expression *e);

/* Operand `number`, from 0 on. */
int mpgpu_expression_operand(mpgpu_expression *e, unsigned number);

/* u + v, u - v, u v in full, its low half (as long as the longer one), u^2 in full. */
int mpgpu_expression_add(mpgpu_expression *e, int u, int v);
int mpgpu_expression_sub(mpgpu_expression *e, int u, int v);
int mpgpu_expression_mul(mpgpu_expression *e, int u, int v);
int mpgpu_expression_mullo(mpgpu_expression *e, int u, int v);
int mpgpu_expression_sqr(mpgpu_expression *e, int u);

/* The sum of u[0] to u[terms - 1], those subtracted whose bit in `minus` is set; 1 to MPGPU_TERMS
 * of them. */
int mpgpu_expression_sum(mpgpu_expression *e, const int *u, unsigned terms, unsigned minus);

/* The low `times` n limbs of u, or with zeros on top; times 1 to 8. */
int mpgpu_expression_resize(mpgpu_expression *e, int u, unsigned times);

/* u is a result, of at most 3: its number, from 0 on, or -1.  Any node may be, also more than
 * once. */
int mpgpu_expression_result(mpgpu_expression *e, int u);

/* Nothing more will be recorded: 0, or MPGPU_ARGUMENTS if a call before has failed or there is no
 * result. */
int mpgpu_expression_finish(mpgpu_expression *e);

/* How many times as long as an operand a result is; 0 if there is no such result. */
size_t mpgpu_expression_times(const mpgpu_expression *e, unsigned result);

/* r[k] = result k, for all numbers of the operands u[0], u[1] ...: batches of the same count and
 * the same n, and r[k] of mpgpu_expression_times(e, k) n limbs.  Operands may be the same and
 * results may be operands, but no two results the same batch.  0, MPGPU_ARGUMENTS, MPGPU_NO_MEMORY
 * or MPGPU_LOST, as for all batches. */
int mpgpu_expression_run(const mpgpu_expression *e, mpgpu_batch *const *r, mpgpu_batch *const *u);

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
 * divisor that is still to be computed is computed first.  Where it is below the threshold `mul` and
 * the dividend more than 16 times as long, all is computed at once.  mod: 0 <= r < |d|, as mpz_mod. */
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

/* ---- trees of many numbers
 *
 * A product tree over `count` numbers, the leaves, which are best of like sizes: a leaf takes the
 * room of the longest.  From the threshold `batch` on (limbs in all) it is made on the device and
 * stays there; whole levels of small numbers are multiplied at once, and nothing but leaves, root
 * and results goes over the link.  Where that is not done, or fails, GMP computes the same on the
 * host.  One thread at a time may use a tree.
 *
 * verify:device checks the root's residue modulo a random number of 61 bits beside that of all
 * leaves, and each remainder r of x by a leaf N by another: with the same steps x is reduced modulo
 * N t for a random t, and q N + r, made of that, has to be x modulo t.  It covers all steps, not the
 * results' way to the host.  With verify:residue and verify:full GMP's calls are made.
 *
 * Functions that return an int return 0, MPGPU_ARGUMENTS, MPGPU_NO_MEMORY, or MPGPU_DIVIDE_BY_ZERO
 * where a leaf is 0; results may be anything then. */
typedef struct mpgpu_tree mpgpu_tree;

/* Of u[0] to u[count - 1]; of a batch's numbers.  They are copied.  NULL where count is 0 or there
 * is no memory (mpgpu_error tells). */
mpgpu_tree *mpgpu_tree_create(const mpz_t *u, size_t count);
mpgpu_tree *mpgpu_tree_create_batch(mpgpu_batch *u);
void mpgpu_tree_destroy(mpgpu_tree *t); /* t may be NULL */

size_t mpgpu_tree_count(const mpgpu_tree *t);
int mpgpu_tree_on_device(const mpgpu_tree *t);

/* The product of all leaves. */
int mpgpu_tree_root(mpz_ptr r, mpgpu_tree *t);

/* r[i] = x modulo leaf i, as mpz_mod: 0 <= r[i] < |leaf|; r has `count` numbers, initialised. */
int mpgpu_tree_mod(mpz_t *r, mpgpu_tree *t, mpz_srcptr x);

/* The root's absolute value modulo the square of each leaf; and that divided by the leaf, which is
 * the product of all other leaves modulo this one, as absolute values.  Its gcd with the leaf is 1
 * unless the leaf has a factor in common with another. */
int mpgpu_tree_mod_sqr(mpz_t *r, mpgpu_tree *t);
int mpgpu_tree_cofactors(mpz_t *r, mpgpu_tree *t);

/* Binary splitting.  leaf(context, k, p, q, t) sets the three numbers of term k, 0 <= k < count, in
 * their order, from 0 on, in this thread; it does not call this function.  Terms that follow one
 * another become
 *     p = p_l p_r,    q = q_l q_r,    t = t_l q_r + p_l t_r
 * and the last p, q and t are the result; p may be NULL where it is not wanted.  So of
 *     sum over k of a_k (p_0 ... p_k) / (q_0 ... q_k),    with t_k = a_k p_k for each term,
 * the sum is t / q.  GMP puts a few terms together, the device all levels above, checked by the
 * residues of p, q and t (verify:device).  0, MPGPU_ARGUMENTS, or MPGPU_NO_MEMORY. */
int mpgpu_tree_split(mpz_ptr p, mpz_ptr q, mpz_ptr t, size_t count,
                     void (*leaf)(void *context, size_t k, mpz_ptr p, mpz_ptr q, mpz_ptr t),
                     void *context);

#ifdef __cplusplus
}
#endif

#endif
