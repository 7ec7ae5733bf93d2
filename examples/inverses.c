/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes 1/a modulo 2^(64 N) for many odd numbers a of N limbs at once. Montgomery
 * multiplication and exact division begin with such inverses. A step of Newton's method, x = x
 * (2 - a x), doubles the number of correct bits. The numbers stay on the device from the first
 * step to the last (mpgpu.h). */
#include <errno.h>
#include <gmp.h>
#include <mpgpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* FIRST_BITS: an odd number is its own inverse modulo 2^3 */
enum { MOST_LIMBS = 4096, FIRST_BITS = 3 };

static void die(const char *why) {
    fprintf(stderr, "inverses: %s\n", why);
    exit(1);
}

static void must(int error) {
    if (error)
        die(mpgpu_error());
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static mp_limb_t *limbs(size_t n) {
    mp_limb_t *x = malloc(n * sizeof *x);
    if (!x)
        die("not enough memory");
    return x;
}

static mpgpu_batch *batch(size_t count, size_t n, const mp_limb_t *x) {
    mpgpu_batch *b = mpgpu_batch_create(count, n);
    if (!b)
        die(mpgpu_error());
    must(mpgpu_batch_set(b, x));
    return b;
}

/* Returns `count` pseudorandom odd numbers of n limbs. The caller frees the array. */
static mp_limb_t *odd_numbers(size_t count, size_t n) {
    mp_limb_t *a = limbs(count * n), seed = 1;
    for (size_t i = 0; i < count * n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        a[i] = seed ^ seed >> 29;
    }
    for (size_t i = 0; i < count; i++)
        a[i * n] |= 1;
    return a;
}

/* Sets each number of {x, count n} to the inverse of the corresponding number of {a, count n}. */
static void invert(mp_limb_t *xp, const mp_limb_t *ap, size_t count, size_t n) {
    mp_limb_t *twos = calloc(count * n, sizeof *twos);
    if (!twos)
        die("not enough memory");
    for (size_t i = 0; i < count; i++)
        twos[i * n] = 2;
    mpgpu_batch *a = batch(count, n, ap), *x = batch(count, n, ap), *two = batch(count, n, twos);
    mpgpu_batch *t = mpgpu_batch_create(count, n);
    if (!t)
        die(mpgpu_error());
    for (size_t bits = FIRST_BITS; bits < 64 * n; bits *= 2) {
        must(mpgpu_batch_mullo(t, a, x));
        must(mpgpu_batch_sub(t, NULL, two, t));
        must(mpgpu_batch_mullo(x, x, t));
    }
    must(mpgpu_batch_get(xp, x));
    mpgpu_batch_destroy(a);
    mpgpu_batch_destroy(x);
    mpgpu_batch_destroy(two);
    mpgpu_batch_destroy(t);
    free(twos);
}

/* Returns nonzero if a x = 1 modulo 2^(64 n). GMP computes the product on the host. */
static int is_inverse(const mp_limb_t *xp, const mp_limb_t *ap, size_t n) {
    mp_limb_t *product = limbs(2 * n);
    mpn_mul_n(product, ap, xp, (mp_size_t)n);
    int is = product[0] == 1 && (n == 1 || mpn_zero_p(product + 1, (mp_size_t)n - 1));
    free(product);
    return is;
}

static size_t number(const char *text, size_t most) {
    char *end;
    errno = 0;
    unsigned long x = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || x == 0 || x > most) {
        fprintf(stderr, "inverses: not a number from 1 to %zu: %s\n", most, text);
        exit(2);
    }
    return x;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr,
                "Usage: inverses COUNT LIMBS\n"
                "1/a modulo 2^(64 LIMBS) for COUNT odd numbers a; prints the xor of all.\n");
        return 2;
    }
    size_t count = number(argv[1], 1 << 30), n = number(argv[2], MOST_LIMBS), wrong = 0;
    mp_limb_t *a = odd_numbers(count, n), *x = limbs(count * n), all = 0;
    mpgpu_wait();
    double start = seconds();
    invert(x, a, count, n);
    fprintf(stderr, "%.3f s, %lu operations on the device\n", seconds() - start, mpgpu_sent());
    for (size_t i = 0; i < count; i += count / 100 + 1)
        wrong += !is_inverse(x + i * n, a + i * n, n);
    for (size_t i = 0; i < count * n; i++)
        all = (all << 1 | all >> 63) ^ x[i];
    printf("%zu inverses of %zu limbs: %016lx\n", count, n, (unsigned long)all);
    free(a);
    free(x);
    return wrong || fflush(stdout) != 0;
}
