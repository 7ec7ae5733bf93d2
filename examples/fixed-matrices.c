/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Multiplies matrices of fixed-point numbers, as semidefinite programming with high precision does
 * in each step.  Numbers have BITS bits after the point; matrices have SIDE x SIDE numbers.
 * Computes R = A B by mpgpu_matrix_mul, on the device if it is open.  Checks on the host that R x =
 * A (B x) for a vector x of small integers.  Prints one entry, rounded.  Prints to stderr how long
 * the product took, without and with the copies to and from the device. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gmp.h>

#include <mpgpu.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void require(int is_good, const char *what) {
    if (is_good)
        return;
    fprintf(stderr, "fixed-matrices: %s\n", what);
    exit(EXIT_FAILURE);
}

static void done(int error) {
    require(error == 0, mpgpu_error());
}

static mpz_t *numbers(size_t count) {
    mpz_t *x = malloc(count * sizeof *x);
    require(x != NULL, strerror(ENOMEM));
    for (size_t i = 0; i < count; i++)
        mpz_init(x[i]);
    return x;
}

static void clear(mpz_t *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        mpz_clear(x[i]);
    free(x);
}

/* Sets numbers to random values between -1 and 1, in units of 2^-bits. */
static void choose(mpz_t *x, size_t count, unsigned long bits, gmp_randstate_t random) {
    for (size_t i = 0; i < count; i++) {
        mpz_urandomb(x[i], random, bits);
        if (gmp_urandomb_ui(random, 1))
            mpz_neg(x[i], x[i]);
    }
}

/* Sets y = A x for a matrix of side x side numbers. */
static void apply(mpz_t *y, const mpz_t *a, const mpz_t *x, size_t side) {
    for (size_t i = 0; i < side; i++) {
        mpz_set_ui(y[i], 0);
        for (size_t j = 0; j < side; j++)
            mpz_addmul(y[i], a[i * side + j], x[j]);
    }
}

/* Computes the exact product of a and b. */
static void multiply(mpz_t *r, const mpz_t *a, const mpz_t *b, size_t side) {
    mpgpu_matrix *u = mpgpu_matrix_create(side, side), *v = mpgpu_matrix_create(side, side),
                 *w = mpgpu_matrix_create(side, side);
    require(u && v && w, mpgpu_error());
    mpgpu_wait();
    const double begin = seconds();
    done(mpgpu_matrix_set_mpz(u, a));
    done(mpgpu_matrix_set_mpz(v, b));
    const double there = seconds();
    done(mpgpu_matrix_mul(w, u, v));
    const double product = seconds();
    done(mpgpu_matrix_get_mpz(r, w));
    fprintf(stderr, "product %.2f ms, with copies %.2f ms, %s\n", 1e3 * (product - there),
            1e3 * (seconds() - begin), mpgpu_matrix_on_device(w) ? "on the device" : "by GMP");
    mpgpu_matrix_destroy(u);
    mpgpu_matrix_destroy(v);
    mpgpu_matrix_destroy(w);
}

/* Checks that r x = a (b x), where x is a vector of small integers. */
static void check(const mpz_t *r, const mpz_t *a, const mpz_t *b, size_t side) {
    mpz_t *x = numbers(side), *y = numbers(side), *right = numbers(side), *got = numbers(side);
    for (size_t i = 0; i < side; i++)
        mpz_set_si(x[i], (long)(i * i % 1009) - 504);
    apply(y, b, (const mpz_t *)x, side);
    apply(right, a, (const mpz_t *)y, side);
    apply(got, r, (const mpz_t *)x, side);
    for (size_t i = 0; i < side; i++)
        require(mpz_cmp(got[i], right[i]) == 0, "wrong product");
    clear(x, side);
    clear(y, side);
    clear(right, side);
    clear(got, side);
}

static void run(size_t side, unsigned long bits) {
    const size_t count = side * side;
    mpz_t *a = numbers(count), *b = numbers(count), *r = numbers(count);
    gmp_randstate_t random;
    gmp_randinit_default(random);
    choose(a, count, bits, random);
    choose(b, count, bits, random);
    multiply(r, (const mpz_t *)a, (const mpz_t *)b, side);
    check((const mpz_t *)r, (const mpz_t *)a, (const mpz_t *)b, side);
    for (size_t i = 0; i < count; i++)
        mpz_fdiv_q_2exp(r[i], r[i], bits);
    gmp_printf("entry 0, 0 in units of 2^-%lu: %Zd\n", bits, r[0]);
    gmp_randclear(random);
    clear(a, count);
    clear(b, count);
    clear(r, count);
}

static const char usage[] = "Usage: fixed-matrices [SIDE [BITS]]\n"
                            "  SIDE  rows and columns, 1 to 10000 (300)\n"
                            "  BITS  bits after the point, 1 to 1000000 (1024)\n";

/* Returns argument `index` as a number, or `otherwise` if it is missing. */
static unsigned long argument(int argc, char **argv, int index, unsigned long most,
                              unsigned long otherwise) {
    char *end = NULL;
    if (index >= argc)
        return otherwise;
    const unsigned long x = strtoul(argv[index], &end, 10);
    if (argv[index][0] >= '0' && argv[index][0] <= '9' && !*end && x >= 1 && x <= most)
        return x;
    fprintf(stderr, "fixed-matrices: not a number from 1 to %lu: '%s'\n%s", most, argv[index],
            usage);
    exit(2);
}

int main(int argc, char **argv) {
    if (argc > 3) {
        fprintf(stderr, "fixed-matrices: more than two arguments\n%s", usage);
        return 2;
    }
    run(argument(argc, argv, 1, 10000, 300), argument(argc, argv, 2, 1000000, 1024));
    return fflush(stdout) != 0;
}
