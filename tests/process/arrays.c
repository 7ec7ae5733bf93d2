/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Calls mpgpu.h's functions for many numbers at once (batches). Prints a hash of each result; the
 * scripts compare the hashes of a device with those of GMP.
 * Usage: arrays SEED LIMBS COUNT [SECONDS]
 *   SECONDS  one pause between two operations of a batch */
#include <gmp.h>
#include <mpgpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t n, count;
static mp_limb_t seed;
static unsigned seconds;

static void must(int error) {
    if (error) {
        fprintf(stderr, "arrays: %s\n", mpgpu_error());
        exit(1);
    }
}

static void *must_have(void *p) {
    must(!p);
    return p;
}

/* Returns random numbers of `all` limbs in total; some limbs are 0 or have all bits set. */
static mp_limb_t *limbs(size_t all) {
    mp_limb_t *x = must_have(malloc(all * sizeof *x));
    for (size_t i = 0; i < all; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = seed >> 61 == 0 ? 0 : seed >> 61 == 1 ? ~(mp_limb_t)0 : seed ^ seed >> 29;
    }
    return x;
}

static void print(const char *what, const mp_limb_t *x, size_t all) {
    mp_limb_t hash = 14695981039346656037u;
    for (size_t i = 0; i < all; i++)
        hash = (hash ^ x[i]) * 1099511628211u;
    printf("%s %016lx\n", what, (unsigned long)hash);
}

static void multiply(void) {
    mp_limb_t *u = limbs(n * count), *v = limbs(n * count), *r = limbs(2 * n * count);
    must(mpgpu_batch_mul_n(r, u, v, n, count));
    print("mul_n", r, 2 * n * count);
    must(mpgpu_batch_sqr_n(r, u, n, count));
    print("sqr_n", r, 2 * n * count);
    must(mpgpu_batch_mullo_n(r, u, v, n, count));
    print("mullo_n", r, n * count);
    free(u);
    free(v);
    free(r);
}

static mpgpu_batch *batch(size_t numbers, mp_limb_t bits) {
    mp_limb_t *x = limbs(n * numbers);
    mpgpu_batch *b = must_have(mpgpu_batch_create(numbers, n));
    for (size_t i = 0; i < numbers; i++)
        x[i * n] |= bits;
    must(mpgpu_batch_set(b, x));
    free(x);
    return b;
}

static void print_batch(const char *what, mpgpu_batch *b) {
    mp_limb_t *x = must_have(malloc(n * count * sizeof *x));
    must(mpgpu_batch_get(x, b));
    print(what, x, n * count);
    free(x);
}

/* Computes powers of a batch of bases. `moduli` and `exponents` are the numbers of moduli and
 * exponents: one for each base, or one for all bases. */
static void power(const char *what, size_t moduli, mp_limb_t bits, size_t exponents,
                  int (*raise)(mpgpu_batch *, mpgpu_batch *, mpgpu_batch *,
                               mpgpu_batch_modulus *)) {
    mpgpu_batch *m = batch(moduli, bits), *e = batch(exponents, 1), *u = batch(count, 0);
    mpgpu_batch *r = must_have(mpgpu_batch_create(count, n));
    mpgpu_batch_modulus *modulus = must_have(mpgpu_batch_modulus_create(m));
    must(raise(r, u, e, modulus));
    print_batch(what, r);
    sleep(seconds);
    seconds = 0;
    must(raise(u, u, e, modulus));
    must(mpgpu_batch_mod_mul(r, r, u, modulus));
    print_batch(what, r);
    mpgpu_batch_modulus_destroy(modulus);
    mpgpu_batch_destroy(m);
    mpgpu_batch_destroy(e);
    mpgpu_batch_destroy(u);
    mpgpu_batch_destroy(r);
}

int main(int argc, char **argv) {
    if (argc < 4)
        return 2;
    seed = strtoull(argv[1], NULL, 10);
    n = strtoull(argv[2], NULL, 10);
    count = strtoull(argv[3], NULL, 10);
    seconds = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
    multiply();
    power("mod_pow, odd", count, 1, count, mpgpu_batch_mod_pow);
    power("mod_pow, one odd modulus, one exponent", 1, 1, 1, mpgpu_batch_mod_pow);
    power("mod_pow, even", count, 2, count, mpgpu_batch_mod_pow);
    power("mod_pow_sec", count, 1, count, mpgpu_batch_mod_pow_sec);
    return 0;
}
