/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-gmp's own functions.  A program that is linked with the library or runs under mpgpu-run
 * needs none of them: the library intercepts its calls of GMP.
 * The manual pages hold the details: mpgpu-library(3), mpgpu-batch(3), mpgpu-modular(3),
 * mpgpu-expression(3), mpgpu-number(3), mpgpu-tree(3), mpgpu-matrix(3), mpgpu-poly(3),
 * mpgpu-mandelbrot(3), mpgpu-array(3). */
#ifndef MPGPU_H
#define MPGPU_H

#include <stddef.h>
#include <stdint.h>

#include <gmp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the library: mpgpu-library(3) */

/* The version of this header.  MPGPU_VERSION_NUMBER is 10000 major + 100 minor + patch. */
#define MPGPU_VERSION_MAJOR 0
#define MPGPU_VERSION_MINOR 1
#define MPGPU_VERSION_PATCH 0
#define MPGPU_VERSION_NUMBER                                                                       \
    (10000 * MPGPU_VERSION_MAJOR + 100 * MPGPU_VERSION_MINOR + MPGPU_VERSION_PATCH)

/* Return the version of the library that is loaded: "major.minor.patch" as a static string, and
 * the number as in MPGPU_VERSION_NUMBER. */
const char *mpgpu_version(void);
int mpgpu_version_number(void);

/* Waits until the device is open, which may take seconds at the first call.  Returns 1 if a device
 * is open, 0 if none can be used.  Does not wait in a signal handler.  Any thread may call it. */
int mpgpu_wait(void);

/* Returns the number of operations that the device has computed in this process.  A composite
 * operation, such as a division, counts once if the device computes it. */
unsigned long mpgpu_sent(void);

/* Writes one line about the device in use, or about why there is none, into {text, size}, truncated
 * to size - 1 characters.  Does not open a device.  Returns text, or NULL if text is NULL or size
 * is 0. */
char *mpgpu_device(char *text, size_t size);

/* Functions that return a status return 0 or one of these codes. */
enum mpgpu_error_code {
    MPGPU_ARGUMENTS = 1, /* an argument is NULL or invalid, or sizes or queues do not match; nothing
                            has changed */
    MPGPU_NO_MEMORY = 2, /* host memory is exhausted, or device memory for an array */
    MPGPU_LOST = 3,      /* an operand is lost: the device that stored it failed or changed its
                          * value */
    MPGPU_DIVIDE_BY_ZERO = 4, /* a divisor, a modulus or a leaf of a tree is 0, or a matrix has no
                               * inverse */
    MPGPU_TOO_LARGE = 5,      /* the result has more bits than an mpz_t can store */
    MPGPU_NO_DEVICE = 6       /* no device could compute the call, or share or copy an array */
};

/* Returns the text of the last error in the calling thread, or "" if no call has failed there.  The
 * text is valid until the next error in this thread. */
const char *mpgpu_error(void);

/* ---- batches: mpgpu-batch(3)
 *
 * A batch holds `count` unsigned numbers of n limbs each.  Operations process all numbers of a
 * batch.  If the limbs of the whole batch reach the threshold `batch`, the device stores and
 * computes it.  Otherwise, or if the device fails, GMP computes it on the host.
 *
 * Only one thread at a time may use a batch, even as an operand; different threads may use
 * different batches.  Functions return when the result is computed. */
typedef struct mpgpu_batch mpgpu_batch;

/* Creates a batch of `count` numbers of n limbs, all 0; count and n are at least 1.  Returns NULL
 * on failure. */
mpgpu_batch *mpgpu_batch_create(size_t count, size_t n);
void mpgpu_batch_destroy(mpgpu_batch *b); /* b may be NULL */

/* Return the count of numbers, and n; 0 if b is NULL. mpgpu_batch_on_device returns 1 if the
 * numbers are stored on the device now, otherwise 0. */
size_t mpgpu_batch_count(const mpgpu_batch *b);
size_t mpgpu_batch_limbs(const mpgpu_batch *b);
int mpgpu_batch_on_device(const mpgpu_batch *b);

/* Copy all numbers of a batch from or to an array of count * n limbs; number i begins at limb i
 * * n. */
int mpgpu_batch_set(mpgpu_batch *r, const mp_limb_t *up);
int mpgpu_batch_get(mp_limb_t *rp, mpgpu_batch *u);

/* Copy all numbers of a batch from or to an array of `count` initialised mpz_t.
 * mpgpu_batch_set_mpz returns MPGPU_ARGUMENTS if a number is negative or has more than n limbs;
 * mpgpu_error names the number. */
int mpgpu_batch_set_mpz(mpgpu_batch *r, const mpz_t *up);
int mpgpu_batch_get_mpz(mpz_t *rp, mpgpu_batch *u);

/* Set r[i] to u[i] + v[i], u[i] - v[i], u[i] v[i] or u[i]^2.  All batches have the same count and
 * the same n, but r of mul and sqr has 2 n limbs. mullo stores only the low n limbs of the product.
 * r may be u or v. cy receives the carries or borrows, 0 or 1. cy is a batch of numbers of one
 * limb, or NULL; it must not be u or v. */
int mpgpu_batch_add(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *u, mpgpu_batch *v);
int mpgpu_batch_sub(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *u, mpgpu_batch *v);
int mpgpu_batch_mul(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v);
int mpgpu_batch_mullo(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v);
int mpgpu_batch_sqr(mpgpu_batch *r, mpgpu_batch *u);

/* Sets r[i] to the sum u[0][i] + u[1][i] + ... of `terms` batches, 1 to MPGPU_TERMS.  Subtracts
 * batch u[k] if bit k of `minus` is set. r may be any u[k]. cy[i] receives the limb above the n
 * limbs of the sum, as a signed limb. */
#define MPGPU_TERMS 8
int mpgpu_batch_sum(mpgpu_batch *r, mpgpu_batch *cy, mpgpu_batch *const *u, unsigned terms,
                    unsigned minus);

/* Sets r[i] to 0 if u[i] = v[i], to 1 if u[i] > v[i], and to -1 (all ones) if u[i] < v[i]. The
 * numbers of r have one limb. */
int mpgpu_batch_cmp(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v);

/* Sets r[i] to u[i] if c[i] is not 0, otherwise to v[i]. The numbers of c have one limb. */
int mpgpu_batch_select(mpgpu_batch *r, mpgpu_batch *c, mpgpu_batch *u, mpgpu_batch *v);

/* Sets r[i] to gcd(u[i], v[i]); gcd(0, 0) is 0. */
int mpgpu_batch_gcd(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v);

/* Sets r[i] to the inverse of u[i] modulo m[i], and exists[i] to 1.  Sets both to 0 if there is no
 * inverse.  The inverse modulo 1 is 0. m has one modulus for each u[i], or one for all.  The
 * numbers of `exists` have one limb; `exists` must not be u or m.  Returns MPGPU_DIVIDE_BY_ZERO,
 * and changes nothing, if a modulus is 0. */
int mpgpu_batch_mod_inv(mpgpu_batch *r, mpgpu_batch *exists, mpgpu_batch *u, mpgpu_batch *m);

/* Computes quotients and remainders: n[i] = q[i] d[i] + r[i], 0 <= r[i] < d[i].  The numbers of n
 * are as long as those of d, or up to twice as long. q has numbers of the length of n, r of the
 * length of d. d has one divisor for each n[i], or one for all. q or r may be NULL, or be n or d.
 * Returns MPGPU_DIVIDE_BY_ZERO, and changes nothing, if a divisor is 0. */
int mpgpu_batch_tdiv_qr(mpgpu_batch *q, mpgpu_batch *r, mpgpu_batch *n, mpgpu_batch *d);

/* Compute `count` products of n by n limbs in host memory. Operand i begins at limb i * n,
 * result i at limb i * 2 n. mullo only stores the low n limbs of each product; its result i
 * begins at limb i * n. rp must not overlap an operand. */
int mpgpu_batch_mul_n(mp_limb_t *rp, const mp_limb_t *up, const mp_limb_t *vp, size_t n,
                      size_t count);
int mpgpu_batch_sqr_n(mp_limb_t *rp, const mp_limb_t *up, size_t n, size_t count);
int mpgpu_batch_mullo_n(mp_limb_t *rp, const mp_limb_t *up, const mp_limb_t *vp, size_t n,
                        size_t count);

/* ---- batches modulo numbers: mpgpu-modular(3)
 *
 * A modulus object contains a copy of the batch m, and values that the library computes once from
 * it. m has one modulus for all numbers of a batch, or one for each.  One thread at a time may use
 * a modulus object.  The device is used for moduli of up to 4096 limbs, GMP for longer ones; odd
 * moduli of up to 128 limbs are fastest. mpgpu_batch_modulus_create returns NULL if a modulus is
 * 0. */
typedef struct mpgpu_batch_modulus mpgpu_batch_modulus;
mpgpu_batch_modulus *mpgpu_batch_modulus_create(mpgpu_batch *m);
void mpgpu_batch_modulus_destroy(mpgpu_batch_modulus *m); /* m may be NULL */

/* Set r[i] to u[i], u[i] + v[i], u[i] - v[i], u[i] v[i] or u[i]^2 modulo m[i], 0 <= r[i] < m[i].
 * Numbers of all batches have the same length as those of m.  Only in mpgpu_batch_mod may numbers
 * of u be twice as long.  Operands may exceed m. r may be u or v. */
int mpgpu_batch_mod(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch_modulus *m);
int mpgpu_batch_mod_add(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v, mpgpu_batch_modulus *m);
int mpgpu_batch_mod_sub(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v, mpgpu_batch_modulus *m);
int mpgpu_batch_mod_mul(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *v, mpgpu_batch_modulus *m);
int mpgpu_batch_mod_sqr(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch_modulus *m);

/* Computes inverses as mpgpu_batch_mod_inv does, with a modulus object. */
int mpgpu_batch_mod_invert(mpgpu_batch *r, mpgpu_batch *exists, mpgpu_batch *u,
                           mpgpu_batch_modulus *m);

/* Sets r[i] to u[i]^e[i] modulo m[i]. e has one exponent for each u[i], or one for all, of any
 * length. u^0 is 1 modulo m. */
int mpgpu_batch_mod_pow(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *e, mpgpu_batch_modulus *m);

/* Computes powers as mpgpu_batch_mod_pow does, for secret operands and odd moduli.  Instructions
 * and addresses on the device do not depend on the bits of e or u, and the device clears
 * intermediate values.  The host uses GMP's mpz_powm_sec, except for e = 0.  Returns
 * MPGPU_ARGUMENTS if a modulus is even. */
int mpgpu_batch_mod_pow_sec(mpgpu_batch *r, mpgpu_batch *u, mpgpu_batch *e, mpgpu_batch_modulus *m);

/* Sets r[i] to 1 if u[i] is a prime or a pseudoprime to all of `count` bases, otherwise to 0.  The
 * numbers of r have one limb.  `bases` is an array of `count` limbs, count >= 1, none of them 0.  A
 * base that u[i] divides is skipped.  MPGPU_FERMAT tests a^(u-1) = 1 modulo u for each base a.
 * MPGPU_MILLER_RABIN is the stronger test of Miller and Rabin.  The result for 0, 1 and even
 * numbers above 2 is 0. */
enum { MPGPU_FERMAT, MPGPU_MILLER_RABIN };
int mpgpu_batch_probable_prime(mpgpu_batch *r, mpgpu_batch *u, const mp_limb_t *bases, size_t count,
                               int kind);

/* ---- expressions: mpgpu-expression(3)
 *
 * An expression is a sequence of operations on batches, recorded once and run many times.  If its
 * numbers are short enough, the device runs it in one launch and stores no intermediate values.
 *
 * Each recording call returns a node, a number from 0, or -1 on failure; after a failure all later
 * recording calls fail.  An expression has at most 64 nodes; a node is also used for each operand
 * that must be extended.  Operand batches have numbers of n limbs.  A full product has twice the
 * limbs of its longer factor, at most 8 n.  Any other node has the length of its longest operand;
 * shorter operands are extended with zeros.  A carry out of a node's limbs is dropped.  One thread
 * at a time may record; any threads may run a finished expression at the same time. */
typedef struct mpgpu_expression mpgpu_expression;
#define MPGPU_EXPRESSION_OPERANDS 8
#define MPGPU_EXPRESSION_RESULTS 3

/* Creates an expression of 1 to MPGPU_EXPRESSION_OPERANDS operands.  Returns NULL on failure.
 * mpgpu_expression_destroy accepts NULL. */
mpgpu_expression *mpgpu_expression_create(unsigned operands);
void mpgpu_expression_destroy(mpgpu_expression *e);

/* Returns the node that stands for operand `number`, or -1.  Operands are numbered from 0. */
int mpgpu_expression_operand(mpgpu_expression *e, unsigned number);

/* Record u + v, u - v, u v, the low half of u v (as long as the longer factor), and u^2. */
int mpgpu_expression_add(mpgpu_expression *e, int u, int v);
int mpgpu_expression_sub(mpgpu_expression *e, int u, int v);
int mpgpu_expression_mul(mpgpu_expression *e, int u, int v);
int mpgpu_expression_mullo(mpgpu_expression *e, int u, int v);
int mpgpu_expression_sqr(mpgpu_expression *e, int u);

/* Records the sum of u[0] to u[terms - 1], 1 to MPGPU_TERMS nodes; subtracts u[k] if bit k of
 * `minus` is set. */
int mpgpu_expression_sum(mpgpu_expression *e, const int *u, unsigned terms, unsigned minus);

/* Records the number u, resized to times * n limbs, 1 <= times <= 8: a longer u is truncated, a
 * shorter one extended with zeros. */
int mpgpu_expression_resize(mpgpu_expression *e, int u, unsigned times);

/* Makes node u a result of the expression, which has at most MPGPU_EXPRESSION_RESULTS of them.
 * Returns the number of the result, counted from 0, or -1.  A node may be a result several
 * times. */
int mpgpu_expression_result(mpgpu_expression *e, int u);

/* Ends the recording.  Returns MPGPU_ARGUMENTS if a recording call has failed or there is no
 * result. */
int mpgpu_expression_finish(mpgpu_expression *e);

/* If operands have n limbs and this result has k n limbs, returns k.  Returns 0 if there is no such
 * result. */
size_t mpgpu_expression_times(const mpgpu_expression *e, unsigned result);

/* Computes all results for all numbers of the operand batches u[0], u[1], ...; result k goes to
 * batch r[k].  All operands have the same count and n; r[k] has mpgpu_expression_times(e, k) * n
 * limbs.  A batch of r may be an operand too, but two results must not go to the same batch. */
int mpgpu_expression_run(const mpgpu_expression *e, mpgpu_batch *const *r, mpgpu_batch *const *u);

/* ---- numbers of any length that stay on the device: mpgpu-number(3)
 *
 * A number is a signed integer, as an mpz_t.  Functions record operations in a queue and return.
 * The library computes the queue when a result is asked for, in mpgpu_queue_finish, or when 256
 * operations or 512 MiB of results are recorded.  It then copies all changed numbers to the host,
 * so that no failure of a device loses a number.  GMP computes numbers shorter than the threshold
 * `powm`, and all numbers if the device fails.
 *
 * One thread at a time may use a queue with its numbers and moduli; different threads may use
 * different queues.  Results may be operands.  Numbers keep their values if a function fails. */
typedef struct mpgpu_queue mpgpu_queue;
typedef struct mpgpu_number mpgpu_number;
typedef struct mpgpu_modulus mpgpu_modulus;

/* Creates a queue; returns NULL on failure.  mpgpu_queue_destroy accepts NULL; numbers and moduli
 * of the queue remain valid until they are destroyed. */
mpgpu_queue *mpgpu_queue_create(void);
void mpgpu_queue_destroy(mpgpu_queue *q);

/* Computes all recorded operations of q and waits for them. */
int mpgpu_queue_finish(mpgpu_queue *q);

/* Creates the number 0; returns NULL on failure.  mpgpu_number_destroy accepts NULL. */
mpgpu_number *mpgpu_number_create(mpgpu_queue *q);
void mpgpu_number_destroy(mpgpu_number *x);

/* Sets r to u. mpgpu_number_set and mpgpu_number_swap copy no limbs. */
int mpgpu_number_set(mpgpu_number *r, const mpgpu_number *u);
int mpgpu_number_set_mpz(mpgpu_number *r, mpz_srcptr u);
int mpgpu_number_set_ui(mpgpu_number *r, unsigned long u);
int mpgpu_number_swap(mpgpu_number *u, mpgpu_number *v);

/* Copy values of numbers to the host.  If u or v has recorded operations, the queue is computed
 * first. `bits` is 0 for u = 0. `sign` and `order` are -1, 0 or 1; `order` is the sign of u
 * - v. The caller frees `text` by free(). */
int mpgpu_number_get_mpz(mpz_ptr w, mpgpu_number *u);
int mpgpu_number_get_str(char **text, mpgpu_number *u, int base);
int mpgpu_number_bits(size_t *bits, mpgpu_number *u);
int mpgpu_number_sign(int *sign, mpgpu_number *u);
int mpgpu_number_cmp(int *order, mpgpu_number *u, mpgpu_number *v);

/* Return information without computing the queue. mpgpu_number_bits_most returns an upper bound
 * for the bits of u. mpgpu_number_on_device returns 1 if the value of u is computed and stored
 * on the device. */
size_t mpgpu_number_bits_most(const mpgpu_number *u);
int mpgpu_number_on_device(const mpgpu_number *u);

/* Set r to -u, u + v, u - v, u v or u^2. If the sign of u or v depends on recorded operations,
 * the queue is computed first. */
int mpgpu_number_neg(mpgpu_number *r, mpgpu_number *u);
int mpgpu_number_add(mpgpu_number *r, mpgpu_number *u, mpgpu_number *v);
int mpgpu_number_sub(mpgpu_number *r, mpgpu_number *u, mpgpu_number *v);
int mpgpu_number_mul(mpgpu_number *r, mpgpu_number *u, mpgpu_number *v);
int mpgpu_number_sqr(mpgpu_number *r, mpgpu_number *u);

/* Set r to u 2^bits, or to u / 2^bits rounded towards 0. */
int mpgpu_number_mul_2exp(mpgpu_number *r, mpgpu_number *u, size_t bits);
int mpgpu_number_tdiv_q_2exp(mpgpu_number *r, mpgpu_number *u, size_t bits);

/* mpgpu_number_tdiv_qr computes n = q d + r as mpz_tdiv_qr does; q or r may be NULL; q and r must
 * differ. mpgpu_number_mod computes 0 <= r < |d| as mpz_mod does. If d has recorded operations,
 * the queue is computed first. */
int mpgpu_number_tdiv_qr(mpgpu_number *q, mpgpu_number *r, mpgpu_number *n, mpgpu_number *d);
int mpgpu_number_mod(mpgpu_number *r, mpgpu_number *n, mpgpu_number *d);

/* Creates a modulus object with the present value of |m| and its reciprocal.  Moduli k 2^e - 1 and
 * k 2^e + 1 with an odd k below 2^32 and e >= 128 need no reciprocal, and are faster.  Returns NULL
 * if m is 0, or on failure. */
mpgpu_modulus *mpgpu_modulus_create(mpgpu_number *m);
void mpgpu_modulus_destroy(mpgpu_modulus *m); /* m may be NULL */

/* Set r to u, u v, u^2 or u^e modulo |m|, 0 <= r < |m|. e must not be negative; 0^0 is 1 modulo
 * |m|. */
int mpgpu_modulus_reduce(mpgpu_number *r, mpgpu_number *u, mpgpu_modulus *m);
int mpgpu_modulus_mul(mpgpu_number *r, mpgpu_number *u, mpgpu_number *v, mpgpu_modulus *m);
int mpgpu_modulus_sqr(mpgpu_number *r, mpgpu_number *u, mpgpu_modulus *m);
int mpgpu_modulus_pow(mpgpu_number *r, mpgpu_number *u, mpz_srcptr e, mpgpu_modulus *m);

/* ---- arrays of other GPU libraries: mpgpu-array(3)
 *
 * An array is a block of memory on an NVIDIA GPU that this process and its other libraries can use
 * through CUDA.  The library copies limbs between arrays and batches or numbers on the GPU.  An
 * array takes n limbs, rounded up to 2 MiB, and is zero at first.  One thread at a time may use an
 * array. */
typedef struct mpgpu_array mpgpu_array;
enum { MPGPU_UUID = 16 };

/* Return 1 and set uuid[MPGPU_UUID] to the UUID of the NVIDIA GPU on which the numbers of u are
 * stored; return 0 if they are elsewhere.  A uuid of NULL is accepted. */
int mpgpu_batch_gpu(unsigned char *uuid, const mpgpu_batch *u);   /* since 0.2 */
int mpgpu_number_gpu(unsigned char *uuid, const mpgpu_number *u); /* since 0.2 */

/* Returns 1 and sets uuid to the first GPU on which mpgpu_array_create can create arrays now,
 * without waiting; 0 if there is none. */
int mpgpu_array_gpu(unsigned char *uuid); /* since 0.2 */

/* Creates an array of n limbs on the GPU with this UUID; if uuid is NULL, on the first GPU of the
 * library.  Waits until the device is open.  Returns NULL on failure.  mpgpu_array_destroy accepts
 * NULL; the memory stays valid as long as another descriptor or mapping of it exists. */
mpgpu_array *mpgpu_array_create(const unsigned char *uuid, size_t n); /* since 0.2 */
void mpgpu_array_destroy(mpgpu_array *a);                             /* since 0.2 */

/* The memory of an array.  If the devices belong to this process (server:off), `address` is its
 * CUdeviceptr, which all CUDA contexts on the GPU can use, and `file` is -1.  Otherwise `file` is a
 * descriptor for cuMemImportFromShareableHandle, which the caller closes, and `address` is 0.
 * `bytes` is the size to map. */
typedef struct mpgpu_array_memory {
    unsigned char uuid[MPGPU_UUID];
    uint64_t address, bytes;
    int file;
} mpgpu_array_memory;
int mpgpu_array_open(mpgpu_array_memory *m, const mpgpu_array *a); /* since 0.2 */

/* mpgpu_batch_get_array copies all limbs of u to the beginning of a. mpgpu_batch_set_array sets r
 * to the first limbs of a, and stores r on the GPU if it is long enough.  Copies are complete on
 * return; the caller waits for its own work on the array before it calls mpgpu_batch_set_array.
 * mpgpu_number_get_array copies |u| to the beginning of a, and sets the rest of the n limbs of a to
 * 0. mpgpu_number_set_array sets r to the first n limbs of a, a natural number. */
int mpgpu_batch_get_array(mpgpu_array *a, mpgpu_batch *u);                   /* since 0.2 */
int mpgpu_batch_set_array(mpgpu_batch *r, const mpgpu_array *a);             /* since 0.2 */
int mpgpu_number_get_array(mpgpu_array *a, mpgpu_number *u);                 /* since 0.2 */
int mpgpu_number_set_array(mpgpu_number *r, const mpgpu_array *a, size_t n); /* since 0.2 */

/* ---- trees of many numbers: mpgpu-tree(3)
 *
 * A product tree has `count` numbers as its leaves; each other node is the product of two nodes
 * below it.  Each leaf takes as much memory as the longest leaf.  If the limbs of all leaves
 * together reach the threshold `batch`, the device stores and computes the tree.  Otherwise, or if
 * the device fails, GMP computes it on the host.
 *
 * One thread at a time may use a tree.  Functions return when the result is computed; after an
 * error, results are unspecified. */
typedef struct mpgpu_tree mpgpu_tree;

/* Create a tree of copies of u[0] to u[count - 1], or of the numbers of a batch; count is not 0.
 * Return NULL on failure. */
mpgpu_tree *mpgpu_tree_create(const mpz_t *u, size_t count);
mpgpu_tree *mpgpu_tree_create_batch(mpgpu_batch *u);
void mpgpu_tree_destroy(mpgpu_tree *t); /* t may be NULL */

/* Return the count of leaves; 0 if t is NULL. mpgpu_tree_on_device returns 1 if the tree is
 * stored on the device, otherwise 0. */
size_t mpgpu_tree_count(const mpgpu_tree *t);
int mpgpu_tree_on_device(const mpgpu_tree *t);

/* Sets r to the product of all leaves. */
int mpgpu_tree_root(mpz_ptr r, mpgpu_tree *t);

/* Sets r[i] to x modulo leaf i, 0 <= r[i] < |leaf i|, as mpz_mod does. r has `count` initialised
 * numbers, none of which may be x. */
int mpgpu_tree_mod(mpz_t *r, mpgpu_tree *t, mpz_srcptr x);

/* mpgpu_tree_mod_sqr sets r[i] to |root| modulo the square of leaf i; the root is the product of
 * all leaves. mpgpu_tree_cofactors divides this by |leaf i|, which yields the product of all
 * other leaves modulo leaf i, in absolute values. */
int mpgpu_tree_mod_sqr(mpz_t *r, mpgpu_tree *t);
int mpgpu_tree_cofactors(mpz_t *r, mpgpu_tree *t);

/* Binary splitting.  Calls leaf(context, k, p, q, t) for k = 0 to count - 1, in this order and in
 * the calling thread; leaf sets p, q and t to the three numbers of term k.  The library joins
 * neighbours l and r:
 *
 *     p = p_l p_r,    q = q_l q_r,    t = t_l q_r + p_l t_r
 *
 * The last p, q and t are the result.  If t_k = a_k p_k, then
 *
 *     t / q = the sum over k of a_k (p_0 ... p_k) / (q_0 ... q_k)
 *
 * p may be NULL if it is not needed.  p, q and t differ. */
int mpgpu_tree_split(mpz_ptr p, mpz_ptr q, mpz_ptr t, size_t count,
                     void (*leaf)(void *context, size_t k, mpz_ptr p, mpz_ptr q, mpz_ptr t),
                     void *context);

/* ---- matrices of integers: mpgpu-matrix(3)
 *
 * A matrix has rows x columns signed integers, as mpz_t, row by row in arrays; both sizes are at
 * most 2^31 - 1, and may be 0.  If the limbs of the whole matrix reach the threshold `batch`, the
 * device stores it.  The device computes a product if these limbs times the columns of the second
 * factor reach it, and systems if these limbs times the rows do.  Otherwise, or if the device
 * fails, GMP computes on the host.  Each entry takes as much memory as the longest entry.
 *
 * Only one thread at a time may use a matrix, even as an operand; different threads may use
 * different matrices.  Functions return when the result is computed. */
typedef struct mpgpu_matrix mpgpu_matrix;

/* Creates a matrix of zeros. Returns NULL on failure. */
mpgpu_matrix *mpgpu_matrix_create(size_t rows, size_t columns); /* since 0.2 */
void mpgpu_matrix_destroy(mpgpu_matrix *m);                     /* m may be NULL; since 0.2 */

/* Return the sizes of a matrix, an upper bound for the bits of its entries, and the limbs of an
 * entry in two's complement, at least 1; 0 if m is NULL. mpgpu_matrix_on_device returns 1 if the
 * entries are stored on the device now, otherwise 0. */
size_t mpgpu_matrix_rows(const mpgpu_matrix *m);      /* since 0.2 */
size_t mpgpu_matrix_columns(const mpgpu_matrix *m);   /* since 0.2 */
size_t mpgpu_matrix_bits_most(const mpgpu_matrix *m); /* since 0.2 */
size_t mpgpu_matrix_limbs(const mpgpu_matrix *m);     /* since 0.2 */
int mpgpu_matrix_on_device(const mpgpu_matrix *m);    /* since 0.2 */

/* Copy all entries of a matrix from or to an array of rows * columns initialised mpz_t; the entry
 * in row i and column j is element i * columns + j. The array may be NULL if it has no element. */
int mpgpu_matrix_set_mpz(mpgpu_matrix *m, const mpz_t *u); /* since 0.2 */
int mpgpu_matrix_get_mpz(mpz_t *r, mpgpu_matrix *m);       /* since 0.2 */

/* Copy all entries from or to an array of limbs: n limbs for each entry, in two's complement,
 * lowest limb first. mpgpu_matrix_get copies mpgpu_matrix_limbs(m) limbs for each entry. */
int mpgpu_matrix_set(mpgpu_matrix *m, const mp_limb_t *up, size_t n); /* since 0.2 */
int mpgpu_matrix_get(mp_limb_t *rp, mpgpu_matrix *m);                 /* since 0.2 */

/* Sets r to the product u v. v has one row for each column of u; r has the rows of u and the
 * columns of v. r may be u or v. Returns MPGPU_ARGUMENTS if the sizes of u and v do not fit;
 * mpgpu_error names these sizes. */
int mpgpu_matrix_mul(mpgpu_matrix *r, mpgpu_matrix *u, mpgpu_matrix *v); /* since 0.2 */

/* Sets r to the determinant of the square matrix a: the exact integer if `modulus` is NULL,
 * otherwise its residue from 0 to modulus - 1. The modulus may be any number above 0; it is not
 * changed. The determinant of a matrix of 0 x 0 entries is 1. Returns MPGPU_ARGUMENTS if a is not
 * square or the modulus is negative, MPGPU_DIVIDE_BY_ZERO if the modulus is 0. */
int mpgpu_matrix_det(mpz_ptr r, mpgpu_matrix *a, mpz_srcptr modulus); /* since 0.2 */

/* Solve a x = b for a square matrix a. b has a row for each row of a, and any number of columns.
 * If `modulus` is NULL, x = r / d, where d is the least positive common denominator. Otherwise r
 * has the residues of x, from 0 to modulus - 1, and d, which may be NULL, becomes 1.
 * mpgpu_matrix_inverse does the same with the unit matrix as b. r has the sizes of b, and may be a
 * or b.
 *
 * Return MPGPU_DIVIDE_BY_ZERO if the determinant of a is 0, if it has a common factor with the
 * modulus, or if the modulus is 0; MPGPU_ARGUMENTS if sizes do not fit or the modulus is negative.
 * mpgpu_error names the sizes and the factor. After an error, r and d are unchanged. */
int mpgpu_matrix_solve(mpgpu_matrix *r, mpz_ptr d, mpgpu_matrix *a, mpgpu_matrix *b,
                       mpz_srcptr modulus); /* since 0.2 */
int mpgpu_matrix_inverse(mpgpu_matrix *r, mpz_ptr d, mpgpu_matrix *a,
                         mpz_srcptr modulus); /* since 0.2 */

/* ---- polynomials: mpgpu-poly(3)
 *
 * A polynomial has coefficients in Z, or in Z/n if it has a modulus n.  Its `length` is its degree
 * plus 1, or 0 for the polynomial 0.  Coefficients are in host memory.  If the limbs of a product's
 * first factor reach the threshold `batch`, the device computes the product.  This holds for
 * products inside of other functions too.  GMP computes the other products, and all products if the
 * device fails.
 *
 * All polynomials of a call have the same modulus.  One thread at a time may use a polynomial.
 * Results may be operands.  Polynomials keep their values if a function fails. */
typedef struct mpgpu_poly mpgpu_poly;

/* Creates the polynomial 0 over Z/n, n >= 1, or over Z if `modulus` is NULL.  Returns NULL on
 * failure.  mpgpu_poly_destroy accepts NULL. */
mpgpu_poly *mpgpu_poly_create(mpz_srcptr modulus); /* since 0.2 */
void mpgpu_poly_destroy(mpgpu_poly *p);            /* since 0.2 */

/* Returns the length; 0 if u is NULL. */
size_t mpgpu_poly_length(const mpgpu_poly *u); /* since 0.2 */

/* mpgpu_poly_set_mpz sets r to the polynomial with the coefficients c[0] to c[length - 1]; c[0] is
 * the constant coefficient.  If r has a modulus, the coefficients are reduced. mpgpu_poly_get_mpz
 * sets c[0] to c[length - 1], which are initialised, to the lowest coefficients of u; c[i] is 0 if
 * u has fewer. */
int mpgpu_poly_set_mpz(mpgpu_poly *r, const mpz_t *c, size_t length); /* since 0.2 */
int mpgpu_poly_get_mpz(mpz_t *c, size_t length, const mpgpu_poly *u); /* since 0.2 */

/* Set r to u v or u^2. */
int mpgpu_poly_mul(mpgpu_poly *r, const mpgpu_poly *u, const mpgpu_poly *v); /* since 0.2 */
int mpgpu_poly_sqr(mpgpu_poly *r, const mpgpu_poly *u);                      /* since 0.2 */

/* Computes u = q v + r, where r has a smaller length than v. q or r may be NULL; q and r must
 * differ. The leading coefficient of v must have an inverse: over Z it is 1 or -1. Otherwise
 * returns MPGPU_ARGUMENTS. Returns MPGPU_DIVIDE_BY_ZERO if v is 0. */
int mpgpu_poly_divrem(mpgpu_poly *q, mpgpu_poly *r, const mpgpu_poly *u,
                      const mpgpu_poly *v); /* since 0.2 */

/* Sets y[i] to u(x[i]) modulo n, for i < count, where n is the modulus of u.  u must have a
 * modulus.  y[i] may be x[i]. */
int mpgpu_poly_evaluate(mpz_t *y, const mpgpu_poly *u, const mpz_t *x,
                        size_t count); /* since 0.2 */

/* Sets r to the polynomial of length `count` or less with r(x[i]) = y[i] modulo n, count >= 1.  r
 * must have a modulus n. Returns MPGPU_ARGUMENTS if the difference of two points has no inverse
 * modulo n; mpgpu_error names one of these points. */
int mpgpu_poly_interpolate(mpgpu_poly *r, const mpz_t *x, const mpz_t *y,
                           size_t count); /* since 0.2 */

/* ---- views of the Mandelbrot set: mpgpu-mandelbrot(3)
 *
 * A view is a grid of points, `rows` rows of `width` points.  Point i of row j, both counted from
 * 0, is
 *
 *     c = left + i step + (top - (first_row + j) step) sqrt(-1)
 *
 * A number of a view is a double if `words` is 0.  If `words` is 4, 6 or 8, it is an integer of
 * `words` words of 32 bits in units of 2^(-32 (words - 1)): two's complement, the lowest word
 * first. So the highest word is the part before the point. */
typedef union mpgpu_mandelbrot_number {
    uint32_t fixed[8];
    double real;
} mpgpu_mandelbrot_number;

typedef struct mpgpu_mandelbrot_view {
    unsigned words; /* 0, 4, 6 or 8 */
    mpgpu_mandelbrot_number left, top, step;
    uint32_t width, first_row, rows; /* width * rows <= MPGPU_MANDELBROT_POINTS */
    uint32_t iterations;             /* maximum number of iterations for a point */
} mpgpu_mandelbrot_view;

#define MPGPU_MANDELBROT_POINTS 268435456 /* 2^28 */
#define MPGPU_MANDELBROT_ESCAPE 4096
#define MPGPU_MANDELBROT_NORM_BITS 7

/* Compute z_(n+1) = z_n^2 + c from z_0 = 0 for each point c, row by row. For point k,
 * iterations[k] is the least n with |z_n|^2 >= MPGPU_MANDELBROT_ESCAPE. norms[k] is this |z_n|^2
 * in units of 2^-MPGPU_MANDELBROT_NORM_BITS, rounded down. If there is no such n below
 * v->iterations, the two values are v->iterations and 0. Both arrays have width * rows elements
 * and overlap neither each other nor the view.
 *
 * mpgpu_mandelbrot_device computes on the device. Returns MPGPU_NO_DEVICE if no device is open
 * or the device fails; results are unspecified then. mpgpu_mandelbrot_host computes the same
 * bits in the calling thread. */
int mpgpu_mandelbrot_device(const mpgpu_mandelbrot_view *v, uint32_t *iterations, uint32_t *norms);
int mpgpu_mandelbrot_host(const mpgpu_mandelbrot_view *v, uint32_t *iterations, uint32_t *norms);

#ifdef __cplusplus
}
#endif

#endif
