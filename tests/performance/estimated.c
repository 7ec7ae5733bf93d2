/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Programs with a fixed amount of work, for comparing estimated and measured times.
 *
 * estimated batch-gcd|powers|conversions: runs one of them.  Prints a sum that depends on all
 * results. */
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* repeats small parts, because the first operation of each size takes longer */
enum { REPEATS = 8 };

static unsigned long sum;

static void add(mpz_srcptr x) {
    sum = 31 * sum + mpz_fdiv_ui(x, 4294967291UL);
}

static void set(mpz_t x, gmp_randstate_t state, mp_bitcnt_t bits) {
    mpz_urandomb(x, state, bits);
    mpz_setbit(x, bits - 1);
    mpz_setbit(x, 0);
}

/* The long steps of Bernstein's method for gcds of many numbers: a product tree, then remainders
 * modulo squares. */
static void batch_gcd(gmp_randstate_t state) {
    enum { LEAVES = 1 << 14, BITS = 2048 };
    mpz_t *node = malloc(2 * LEAVES * sizeof *node), square;
    if (!node)
        abort();
    mpz_init(square);
    for (int i = 1; i < 2 * LEAVES; i++)
        mpz_init(node[i]);
    for (int i = LEAVES; i < 2 * LEAVES; i++)
        set(node[i], state, BITS);
    for (int i = LEAVES - 1; i > 0; i--)
        mpz_mul(node[i], node[2 * i], node[2 * i + 1]);
    for (int i = 2; i < 2 * LEAVES; i++) {
        mpz_mul(square, node[i], node[i]);
        mpz_mod(square, node[i / 2], square);
        if (i < LEAVES)
            mpz_swap(node[i], square);
        else
            add(square);
    }
    free(node);
}

static void powers(gmp_randstate_t state) {
    mpz_t b, e, m, r;
    mpz_inits(b, e, m, r, NULL);
    for (int i = 0; i < REPEATS; i++)
        for (mp_bitcnt_t bits = 100000; bits <= 3000000; bits *= 2) {
            set(b, state, bits);
            set(m, state, bits);
            set(e, state, 40);
            mpz_powm(r, b, e, m);
            add(r);
        }
}

static void convert(mpz_t x, mpz_t y) {
    char *text = mpz_get_str(NULL, 10, x);
    mpz_set_str(y, text, 10);
    free(text);
    add(y);
}

static void conversions(gmp_randstate_t state) {
    mpz_t x, y;
    mpz_inits(x, y, NULL);
    for (mp_bitcnt_t bits = 200000; bits <= 50000000; bits *= 3) {
        set(x, state, bits);
        for (int i = 0; i < REPEATS; i++)
            convert(x, y);
    }
}

static const struct {
    const char *name;
    void (*run)(gmp_randstate_t state);
} programs[] = {{"batch-gcd", batch_gcd}, {"powers", powers}, {"conversions", conversions}};

int main(int argc, char **argv) {
    gmp_randstate_t state;
    gmp_randinit_default(state);
    for (size_t i = 0; argc == 2 && i < sizeof programs / sizeof *programs; i++)
        if (strcmp(argv[1], programs[i].name) == 0) {
            programs[i].run(state);
            printf("%lu\n", sum);
            return 0;
        }
    fprintf(stderr, "usage: estimated batch-gcd|powers|conversions\n");
    return 2;
}
