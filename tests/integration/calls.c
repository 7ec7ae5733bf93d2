/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A plain GMP program that calls one function with small operands, for counting
 * instructions.  Usage: calls FUNCTION COUNT; calls --list */
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5 };

static mp_limb_t r[2 * N], u[N] = {1, 2, 3, 4, 5}, v[N] = {6, 7, 8, 9, 10};
static mpz_t x, y, z, q;

static void mul_n(void) {
    mpn_mul_n(r, u, v, N);
}
static void mul(void) {
    mpn_mul(r, u, N, v, N - 2);
}
static void sqr(void) {
    mpn_sqr(r, u, N);
}
static void z_mul(void) {
    mpz_mul(z, x, y);
}
static void z_mul_ui(void) {
    mpz_mul_ui(z, x, 12345);
}
static void z_add(void) {
    mpz_add(z, x, y);
}
static void z_sub(void) {
    mpz_sub(z, x, y);
}
static void z_add_ui(void) {
    mpz_add_ui(z, x, 12345);
}
static void z_addmul(void) {
    mpz_set_ui(z, 0);
    mpz_addmul(z, x, y);
}
static void z_tdiv_qr(void) {
    mpz_tdiv_qr(q, z, x, y);
}
static void z_mod(void) {
    mpz_mod(z, x, y);
}

static const struct {
    const char *name;
    void (*call)(void);
} functions[] = {
    {"mpn_mul", mul},   {"mpn_mul_n", mul_n},       {"mpn_sqr", sqr},
    {"mpz_add", z_add}, {"mpz_add_ui", z_add_ui},   {"mpz_addmul", z_addmul},
    {"mpz_mod", z_mod}, {"mpz_mul", z_mul},         {"mpz_mul_ui", z_mul_ui},
    {"mpz_sub", z_sub}, {"mpz_tdiv_qr", z_tdiv_qr},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static void list(void) {
    for (int i = 0; i < FUNCTIONS; i++)
        puts(functions[i].name);
}

static int call(const char *name, long count) {
    for (int i = 0; i < FUNCTIONS; i++)
        if (strcmp(functions[i].name, name) == 0) {
            while (count-- > 0)
                functions[i].call();
            return 0;
        }
    fprintf(stderr, "calls: no function %s\n", name);
    return 2;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list();
        return 0;
    }
    if (argc != 3)
        return 2;
    mpz_inits(x, y, z, q, NULL);
    mpz_ui_pow_ui(x, 7, 100);
    mpz_ui_pow_ui(y, 3, 100);
    int status = call(argv[1], strtol(argv[2], NULL, 10));
    mpz_clears(x, y, z, q, NULL);
    return status;
}
