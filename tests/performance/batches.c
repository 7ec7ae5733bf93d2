/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Rates of operations on batches that lie on the device, and from and to arrays of mpz_t: a line
 * for each with its name, the limbs of a number, and operations a second.  Every result is compared
 * with GMP's at some numbers.  Usage: batches COUNT EXPONENT_LIMBS LIMBS...
 * With GMP_ONLY set in the environment it times GMP on all cores instead; with ONLY=NAME that
 * operation alone. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mpgpu.h>

enum { RUNS = 3, COMPARED = 20, MOST_THREADS = 256 };

/* Operands and results: limbs, batches and mpz_t of the same numbers; N and Q have twice
 * the limbs. */
static size_t count, limbs, exponent_limbs;
enum { U, V, E, M, N, R, Q, EXISTS, BATCHES };
static mp_limb_t *limbs_of[BATCHES];
static mpgpu_batch *batch[BATCHES];
static mpgpu_batch_modulus *modulus;
static mpz_t *number[BATCHES];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t limbs_each(int k) {
    return k == E ? exponent_limbs : k == N || k == Q ? 2 * limbs : k == EXISTS ? 1 : limbs;
}

static uint64_t state = 1;
static mp_limb_t next(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ state >> 29;
}

static void make(int k) {
    size_t n = limbs_each(k);
    limbs_of[k] = malloc(count * n * sizeof(mp_limb_t));
    number[k] = malloc(count * sizeof(mpz_t));
    for (size_t i = 0; i < count * n; i++)
        limbs_of[k][i] = next();
    for (size_t i = 0; i < count; i++) {
        mp_limb_t *x = limbs_of[k] + i * n;
        if (k == M)
            *x |= 1, x[n - 1] |= (mp_limb_t)1 << 63;
        if (k == U || k == N)
            x[n - 1] >>= 1; /* the quotient's size is limbs */
        mpz_init2(number[k][i], 64 * (n + 1));
        mpz_import(number[k][i], n, -1, 8, 0, 0, x);
    }
    batch[k] = mpgpu_batch_create(count, n);
    if (!batch[k] || mpgpu_batch_set(batch[k], limbs_of[k]))
        printf("batch %d: %s\n", k, mpgpu_error());
}

static void clear(int k) {
    mpgpu_batch_destroy(batch[k]);
    for (size_t i = 0; i < count; i++)
        mpz_clear(number[k][i]);
    free(number[k]);
    free(limbs_of[k]);
}

/* ---- the operations: by the device, and of one number by GMP */

static int mod_mul(void) {
    return mpgpu_batch_mod_mul(batch[R], batch[U], batch[V], modulus);
}

static int mod_sqr(void) {
    return mpgpu_batch_mod_sqr(batch[R], batch[U], modulus);
}

static int mod_pow(void) {
    return mpgpu_batch_mod_pow(batch[R], batch[U], batch[E], modulus);
}

static int mod_pow_sec(void) {
    return mpgpu_batch_mod_pow_sec(batch[R], batch[U], batch[E], modulus);
}

static int mod_inv(void) {
    return mpgpu_batch_mod_inv(batch[R], batch[EXISTS], batch[U], batch[M]);
}

static int gcd(void) {
    return mpgpu_batch_gcd(batch[R], batch[U], batch[M]);
}

static int tdiv_qr(void) {
    return mpgpu_batch_tdiv_qr(batch[Q], batch[R], batch[N], batch[M]);
}

static int mul(void) {
    return mpgpu_batch_mul(batch[Q], batch[U], batch[V]);
}

static int mullo(void) {
    return mpgpu_batch_mullo(batch[R], batch[U], batch[V]);
}

/* Powers and products from arrays of mpz_t to arrays of mpz_t. */
static int arrays(int k, int (*work)(void)) {
    int error = mpgpu_batch_set_mpz(batch[U], number[U]);
    if (!error)
        error = mpgpu_batch_set_mpz(batch[k], number[k]);
    if (!error)
        error = work();
    return error ? error : mpgpu_batch_get_mpz(number[R], batch[R]);
}

static int pow_arrays(void) {
    return arrays(E, mod_pow);
}

static int mullo_arrays(void) {
    return arrays(V, mullo);
}

static void mod_mul_gmp(mpz_t r, size_t i) {
    mpz_mul(r, number[U][i], number[V][i]);
    mpz_mod(r, r, number[M][i]);
}

static void mod_sqr_gmp(mpz_t r, size_t i) {
    mpz_mul(r, number[U][i], number[U][i]);
    mpz_mod(r, r, number[M][i]);
}

static void mod_pow_gmp(mpz_t r, size_t i) {
    mpz_powm(r, number[U][i], number[E][i], number[M][i]);
}

static void mod_inv_gmp(mpz_t r, size_t i) {
    if (!mpz_invert(r, number[U][i], number[M][i]))
        mpz_set_ui(r, 0);
}

static void gcd_gmp(mpz_t r, size_t i) {
    mpz_gcd(r, number[U][i], number[M][i]);
}

static void tdiv_qr_gmp(mpz_t r, size_t i) {
    mpz_tdiv_qr(number[Q][i], r, number[N][i], number[M][i]);
}

static void mul_gmp(mpz_t r, size_t i) {
    mpz_mul(r, number[U][i], number[V][i]);
}

static void mullo_gmp(mpz_t r, size_t i) {
    mpz_mul(r, number[U][i], number[V][i]);
    mpz_tdiv_r_2exp(r, r, 64 * limbs);
}

static const struct operation {
    const char *name;
    int (*device)(void);
    void (*gmp)(mpz_t r, size_t i);
    bool is_long; /* its result is Q, not R */
} operations[] = {{.name = "mul", .device = mul, .gmp = mul_gmp, .is_long = true},
                  {.name = "mullo", .device = mullo, .gmp = mullo_gmp},
                  {.name = "mullo_mpz", .device = mullo_arrays, .gmp = mullo_gmp},
                  {.name = "mod_mul", .device = mod_mul, .gmp = mod_mul_gmp},
                  {.name = "mod_sqr", .device = mod_sqr, .gmp = mod_sqr_gmp},
                  {.name = "mod_pow", .device = mod_pow, .gmp = mod_pow_gmp},
                  {.name = "mod_pow_sec", .device = mod_pow_sec, .gmp = mod_pow_gmp},
                  {.name = "mod_pow_mpz", .device = pow_arrays, .gmp = mod_pow_gmp},
                  {.name = "mod_inv", .device = mod_inv, .gmp = mod_inv_gmp},
                  {.name = "gcd", .device = gcd, .gmp = gcd_gmp},
                  {.name = "tdiv_qr", .device = tdiv_qr, .gmp = tdiv_qr_gmp}};

/* How many of some numbers of the result differ from GMP's. */
static size_t differences(const struct operation *op) {
    size_t found = 0, result = op->is_long ? Q : R, n = limbs_each((int)result);
    mpz_t r, x;
    mpz_inits(r, x, NULL);
    if (mpgpu_batch_get(limbs_of[result], batch[result]))
        return count;
    for (size_t k = 0; k < COMPARED; k++) {
        size_t i = k * (count - 1) / (COMPARED - 1);
        op->gmp(r, i);
        mpz_import(x, n, -1, 8, 0, 0, limbs_of[result] + i * n);
        found += mpz_cmp(r, x) != 0;
    }
    mpz_clears(r, x, NULL);
    return found;
}

static void time_device(const struct operation *op) {
    double best = 1e9;
    int error = op->device();
    for (int run = 0; run < RUNS && !error; run++) {
        double start = now();
        error = op->device();
        double time = now() - start;
        best = time < best ? time : best;
    }
    if (error)
        printf("%-12s %5zu failed: %s\n", op->name, limbs, mpgpu_error());
    else
        printf("%-12s %5zu %12.0f /s %s, %zu wrong\n", op->name, limbs, (double)count / best,
               mpgpu_batch_on_device(batch[op->is_long ? Q : R]) ? "device" : "host",
               differences(op));
}

/* ---- GMP on all cores */

static size_t threads;
struct share {
    const struct operation *op;
    size_t first, step;
};

static void *work(void *argument) {
    const struct share *s = argument;
    for (size_t i = s->first; i < count; i += s->step)
        s->op->gmp(number[R][i], i);
    return NULL;
}

static void time_gmp(const struct operation *op) {
    pthread_t thread[MOST_THREADS];
    struct share share[MOST_THREADS];
    double start = now();
    for (size_t k = 0; k < threads; k++) {
        share[k] = (struct share){op, k, threads};
        pthread_create(&thread[k], NULL, work, &share[k]);
    }
    for (size_t k = 0; k < threads; k++)
        pthread_join(thread[k], NULL);
    printf("%-12s %5zu %12.0f /s GMP, %zu threads\n", op->name, limbs,
           (double)count / (now() - start), threads);
}

static void measure(void) {
    for (int k = 0; k < BATCHES; k++)
        make(k);
    modulus = mpgpu_batch_modulus_create(batch[M]);
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        if (!getenv("ONLY") || strcmp(getenv("ONLY"), operations[k].name) == 0)
            (getenv("GMP_ONLY") ? time_gmp : time_device)(&operations[k]);
    mpgpu_batch_modulus_destroy(modulus);
    for (int k = 0; k < BATCHES; k++)
        clear(k);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fputs("usage: batches COUNT EXPONENT_LIMBS LIMBS...\n", stderr);
        return 2;
    }
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    threads = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : (size_t)cores;
    setvbuf(stdout, NULL, _IOLBF, 0);
    count = strtoul(argv[1], NULL, 10);
    exponent_limbs = strtoul(argv[2], NULL, 10);
    for (int k = 3; k < argc; k++) {
        limbs = strtoul(argv[k], NULL, 10);
        measure();
    }
    return 0;
}
