/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products and sums of numbers, which test_inject runs, and the record of all its results. */
#include "tests/unit/fault/inject_operations.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/gmp/gmp_internal.h"
#include "tests/support/testing.h"

/* ---- the record of results, which is compared with that of a run without a device */

enum { MOST = 1 << 20 };
static unsigned char written[MOST];
static size_t length;
static bool is_lost, has_jobs, has_undone_jobs;

void written_begin(void) {
    length = 0;
    is_lost = has_jobs = has_undone_jobs = false;
}

static void put(const void *x, size_t bytes) {
    ck_assert(length + bytes <= MOST);
    memcpy(written + length, x, bytes);
    length += bytes;
}

void written_number(mpz_srcptr x) {
    put(&x->_mp_size, sizeof x->_mp_size);
    put(mpz_limbs_read(x), mpz_size(x) * sizeof(mp_limb_t));
}

void written_limbs(const mp_limb_t *x, size_t n) {
    put(x, n * sizeof *x);
}

void written_text(const char *text) {
    put(text, strlen(text));
}

bool written_error(int error) {
    is_lost |= error != 0;
    return error != 0;
}

void written_job(bool is_on_device) {
    has_jobs = true;
    has_undone_jobs |= !is_on_device;
}

bool written_on_device(bool *any) {
    *any = has_jobs;
    return !has_undone_jobs;
}

unsigned char *written_copy(size_t *bytes) {
    *bytes = length;
    unsigned char *copy = is_lost ? NULL : malloc(length + 1);
    return copy ? memcpy(copy, written, length) : NULL;
}

bool written_is_lost(void) {
    return is_lost;
}

bool written_is(const unsigned char *right, size_t bytes) {
    return length == bytes && memcmp(written, right, bytes) == 0;
}

/* ---- operands; GMP's random numbers are not used, because their first call would make the library
 * read its options too early */

void operand_limbs(mp_limb_t *x, size_t n, unsigned set, unsigned which) {
    mp_limb_t seed = 0x1234567u * (set + 1) + 0x89abu * which;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = seed >> 62 == 0 ? 0 : seed >> 62 == 1 ? ~(mp_limb_t)0 : seed ^ seed >> 29;
    }
}

void operand(mpz_ptr x, size_t n, unsigned set, unsigned which) {
    mpz_init(x);
    mp_limb_t *p = mpz_limbs_write(x, (mp_size_t)n + 1);
    operand_limbs(p, n, set, which);
    p[n - (n > 0)] |= (mp_limb_t)1 << 40;
    mpz_limbs_finish(x, (mp_size_t)n);
}

void operands_take(mpz_t *operands, mpz_t *results, const size_t *limbs, unsigned set) {
    for (unsigned i = 0; i < 3; i++)
        operand(operands[i], limbs[i], set, i);
    mpz_inits(results[0], results[1], NULL);
}

void operands_give(mpz_t *operands, mpz_t *results) {
    written_number(results[0]);
    written_number(results[1]);
    mpz_clears(operands[0], operands[1], operands[2], results[0], results[1], NULL);
}

/* ---- operations */

static void multiply_by(enum conf_algorithm algorithm, mpz_ptr r, mpz_srcptr u, mpz_srcptr v) {
    mpgpu_conf.algorithm = algorithm;
    mpz_mul(r, u, v);
    mpgpu_conf.algorithm = ALGORITHM_AUTO;
}

/* Multiplies modulo 2^(64 n) - 1 or, with `plus`, 2^(64 n) + 1. In the operations named `wrapped`,
 * n is the transform's length, so the transform yields the reduced product. */
static void multiply_in_ring(mpz_ptr r, mp_size_t n, mpz_srcptr u, mpz_srcptr v, bool plus) {
    static mp_limb_t scratch[1 << 16];
    mp_limb_t *rp = mpz_limbs_write(r, n + 1);
    rp[n] = 0;
    if (plus)
        rp[n] = mpn_mul_fft(rp, n, mpz_limbs_read(u), (mp_size_t)mpz_size(u), mpz_limbs_read(v),
                            (mp_size_t)mpz_size(v), 7);
    else
        mpn_mulmod_bnm1(rp, n, mpz_limbs_read(u), (mp_size_t)mpz_size(u), mpz_limbs_read(v),
                        (mp_size_t)mpz_size(v), scratch);
    mpz_limbs_finish(r, n + 1);
}

static void multiply_low(mpz_ptr r, mpz_srcptr u, mpz_srcptr v) {
    const mp_size_t n = (mp_size_t)mpz_size(u);
    mpn_mullo_n(mpz_limbs_write(r, n), mpz_limbs_read(u), mpz_limbs_read(v), n);
    mpz_limbs_finish(r, n);
}

/* Four threads compute products at the same time; the device computes products of several threads
 * in one launch. */
enum { THREADS = 4, ROUNDS = 3 };
struct part {
    mpz_t r[ROUNDS], u, v;
    pthread_t thread;
};

static void *multiply_part(void *argument) {
    struct part *p = argument;
    for (int i = 0; i < ROUNDS; i++)
        mpz_mul(p->r[i], i == 0 ? p->u : p->r[i - 1], p->v);
    return NULL;
}

static void multiply_together(size_t limbs, unsigned set) {
    struct part part[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        operand(part[i].u, limbs, set, 2 * i);
        operand(part[i].v, limbs - 10, set, 2 * i + 1);
        for (int k = 0; k < ROUNDS; k++)
            mpz_init(part[i].r[k]);
        ck_assert_int_eq(pthread_create(&part[i].thread, NULL, multiply_part, &part[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(part[i].thread, NULL);
        written_number(part[i].r[ROUNDS - 1]);
        for (int k = 0; k < ROUNDS; k++)
            mpz_clear(part[i].r[k]);
        mpz_clears(part[i].u, part[i].v, NULL);
    }
}

static void multiply_together_by_transforms(unsigned set) {
    mpgpu_conf.algorithm = ALGORITHM_BLOCK;
    multiply_together(150, set);
    mpgpu_conf.algorithm = ALGORITHM_AUTO;
}

#define OPERATIONS(X)                                                                              \
    X(mul, 900, 700, 0, mpz_mul(R, A, B))                                                          \
    X(sqr, 800, 0, 0, mpz_mul(R, A, A))                                                            \
    X(mul_more, 5000, 4000, 0, mpz_mul(R, A, B))                                                   \
    X(mul_in_pieces, 9000, 40, 0, mpz_mul(R, A, B))                                                \
    X(mul_by_ssa, 400, 300, 0, multiply_by(ALGORITHM_SSA, R, A, B))                                \
    X(mul_by_fft, 400, 300, 0, multiply_by(ALGORITHM_FFT, R, A, B))                                \
    X(addmul, 300, 200, 501, (mpz_set(R, C), mpz_addmul(R, A, B)))                                 \
    X(submul, 300, 200, 501, (mpz_set(R, C), mpz_submul(R, A, B)))                                 \
    X(add_sub, 2000, 1500, 0, (mpz_add(R, A, B), mpz_sub(S, R, A)))                                \
    X(addmul_ui, 2000, 1500, 0, (mpz_set(R, A), mpz_addmul_ui(R, B, 0xfffffffffffffff1)))          \
    X(submul_ui, 1500, 1500, 0, (mpz_set(R, A), mpz_submul_ui(R, B, 0xfffffffffffffff1)))          \
    X(mul_ui, 2000, 0, 0, mpz_mul_ui(R, A, 0xfffffffffffffff1))                                    \
    X(mullo, 300, 300, 0, multiply_low(R, A, B))                                                   \
    X(bnm1, 500, 400, 0, multiply_in_ring(R, 512, A, B, false))                                    \
    X(bnm1_wrapped, 8000, 7000, 0, multiply_in_ring(R, 8192, A, B, false))                         \
    X(bnp1, 1000, 900, 0, multiply_in_ring(R, 1024, A, B, true))

/* Operations on small products. The host checks the results against the program's operands, so the
 * check covers uploads and downloads, too. */
#define SMALL_OPERATIONS(X)                                                                        \
    X(mul_small, 120, 90, 0, multiply_by(ALGORITHM_BLOCK, R, A, B))                                \
    X(mul_tiny, 30, 20, 0, multiply_by(ALGORITHM_BLOCK, R, A, B))                                  \
    X(coalesced, 0, 0, 0, multiply_together(30, set))                                              \
    X(coalesced_by_transforms, 0, 0, 0, multiply_together_by_transforms(set))

OPERATIONS(INJECT_DEFINE)
SMALL_OPERATIONS(INJECT_DEFINE)
const struct inject_operation inject_products[] = {
    OPERATIONS(INJECT_ENTRY) SMALL_OPERATIONS(INJECT_WHOLE){NULL, NULL, NO_TRANSFERS, false}};
