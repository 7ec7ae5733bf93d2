/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes the values of a random polynomial at the points 0, 1, 2 and so on modulo a prime, then
 * the polynomial of smallest degree that has these values (mpgpu.h). Checks some values by Horner's
 * rule, and that the second polynomial is the first. */
#include <gmp.h>
#include <mpgpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_POINTS = 1 << 24, SAMPLES = 20 };

static void die(const char *why) {
    fprintf(stderr, "points: %s\n", why);
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

static mpz_t *array(size_t count) {
    mpz_t *x = malloc(count * sizeof *x);
    if (!x)
        die("not enough memory");
    for (size_t i = 0; i < count; i++)
        mpz_init(x[i]);
    return x;
}

static void array_free(mpz_t *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        mpz_clear(x[i]);
    free(x);
}

/* Sets y to the value at x modulo p, by Horner's rule. */
static void horner(mpz_t y, const mpz_t *c, size_t count, const mpz_t x, const mpz_t p) {
    mpz_set_ui(y, 0);
    for (size_t i = count; i-- > 0;) {
        mpz_mul(y, y, x);
        mpz_add(y, y, c[i]);
        mpz_mod(y, y, p);
    }
}

static void check_values(const mpz_t *c, const mpz_t *x, const mpz_t *y, size_t count,
                         const mpz_t p) {
    mpz_t right;
    mpz_init(right);
    for (size_t i = 0; i < SAMPLES; i++) {
        const size_t k = i * (count - 1) / (SAMPLES - 1);
        horner(right, c, count, x[k], p);
        if (mpz_cmp(right, y[k]) != 0)
            die("a wrong value");
    }
    mpz_clear(right);
}

static mpgpu_poly *polynomial(const mpz_t p) {
    mpgpu_poly *u = mpgpu_poly_create(p);
    if (!u)
        die(mpgpu_error());
    return u;
}

static void check_coefficients(const mpgpu_poly *u, const mpz_t *c, size_t count) {
    mpz_t *got = array(count);
    must(mpgpu_poly_get_mpz(got, count, u));
    for (size_t i = 0; i < count; i++)
        if (mpz_cmp(got[i], c[i]) != 0)
            die("a wrong coefficient");
    array_free(got, count);
}

static void run(size_t count, const mpz_t p) {
    mpz_t *c = array(count), *x = array(count), *y = array(count), sum;
    mpgpu_poly *u = polynomial(p), *v = polynomial(p);
    gmp_randstate_t random;
    gmp_randinit_default(random);
    mpz_init(sum);
    for (size_t i = 0; i < count; i++) {
        mpz_urandomm(c[i], random, p);
        mpz_set_ui(x[i], i); /* different points */
    }
    mpgpu_wait();
    must(mpgpu_poly_set_mpz(u, (const mpz_t *)c, count));
    double begin = seconds();
    must(mpgpu_poly_evaluate(y, u, (const mpz_t *)x, count));
    fprintf(stderr, "%zu values: %.3f s\n", count, seconds() - begin);
    check_values((const mpz_t *)c, (const mpz_t *)x, (const mpz_t *)y, count, p);
    begin = seconds();
    must(mpgpu_poly_interpolate(v, (const mpz_t *)x, (const mpz_t *)y, count));
    fprintf(stderr, "interpolation: %.3f s\n", seconds() - begin);
    check_coefficients(v, (const mpz_t *)c, count);
    for (size_t i = 0; i < count; i++)
        mpz_add(sum, sum, y[i]);
    gmp_printf("the sum of %zu values is %Zd\n", count, sum);
    gmp_randclear(random);
    mpz_clear(sum);
    mpgpu_poly_destroy(u);
    mpgpu_poly_destroy(v);
    array_free(c, count);
    array_free(x, count);
    array_free(y, count);
}

static int wrong(const char *argument) {
    fprintf(stderr,
            "points: bad argument '%s'. "
            "Usage: points [COUNT [PRIME]], COUNT from 1 to %d, and at most PRIME\n",
            argument, (int)MOST_POINTS);
    return 2;
}

int main(int argc, char **argv) {
    const char *given = argc > 1 ? argv[1] : "100000";
    const char *prime = argc > 2 ? argv[2] : "2305843009213693951"; /* 2^61 - 1 */
    char *end;
    mpz_t p;
    const unsigned long count = strtoul(given, &end, 10);
    if (*given < '0' || *given > '9' || *end || count < 1 || count > MOST_POINTS)
        return wrong(given);
    if (argc > 3)
        return wrong(argv[3]);
    if (mpz_init_set_str(p, prime, 10) != 0 || mpz_cmp_ui(p, count) < 0)
        return wrong(prime);
    run(count, p);
    mpz_clear(p);
    return fflush(stdout) != 0;
}
