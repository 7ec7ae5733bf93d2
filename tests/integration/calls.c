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
static mpf_t f, g, h;
static mpq_t a, b, c;
static char text[200];

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

static void z_mul_si(void) {
    mpz_mul_si(z, x, -5);
}
static void z_sub_ui(void) {
    mpz_sub_ui(z, x, 12345);
}
static void z_tdiv_q(void) {
    mpz_tdiv_q(q, x, y);
}
static void z_divexact(void) {
    mpz_divexact(q, x, x);
}
static void z_powm(void) {
    mpz_powm(z, x, y, x);
}
static void z_pow_ui(void) {
    mpz_pow_ui(z, y, 3);
}
static void z_sqrt(void) {
    mpz_sqrt(z, x);
}
static void z_fib_ui(void) {
    mpz_fib_ui(z, 100);
}
static void z_get_str(void) {
    mpz_get_str(text, 10, x);
}
static void z_set_str(void) {
    mpz_set_str(z, "123456789012345678901234567890", 10);
}
static void f_mul(void) {
    mpf_mul(h, f, g);
}
static void f_div(void) {
    mpf_div(h, f, g);
}
static void q_mul(void) {
    mpq_mul(c, a, b);
}
static void q_add(void) {
    mpq_add(c, a, b);
}

static const struct {
    const char *name;
    void (*call)(void);
} functions[] = {
    {"mpf_div", f_div},
    {"mpf_mul", f_mul},
    {"mpn_mul", mul},
    {"mpn_mul_n", mul_n},
    {"mpn_sqr", sqr},
    {"mpq_add", q_add},
    {"mpq_mul", q_mul},
    {"mpz_add", z_add},
    {"mpz_add_ui", z_add_ui},
    {"mpz_addmul", z_addmul},
    {"mpz_divexact", z_divexact},
    {"mpz_fib_ui", z_fib_ui},
    {"mpz_get_str", z_get_str},
    {"mpz_mod", z_mod},
    {"mpz_mul", z_mul},
    {"mpz_mul_si", z_mul_si},
    {"mpz_mul_ui", z_mul_ui},
    {"mpz_pow_ui", z_pow_ui},
    {"mpz_powm", z_powm},
    {"mpz_set_str", z_set_str},
    {"mpz_sqrt", z_sqrt},
    {"mpz_sub", z_sub},
    {"mpz_sub_ui", z_sub_ui},
    {"mpz_tdiv_q", z_tdiv_q},
    {"mpz_tdiv_qr", z_tdiv_qr},
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
    mpf_inits(f, g, h, NULL);
    mpq_inits(a, b, c, NULL);
    mpz_ui_pow_ui(x, 7, 100);
    mpz_ui_pow_ui(y, 3, 100);
    mpf_set_z(f, x);
    mpf_set_z(g, y);
    mpq_set_ui(a, 3, 7);
    mpq_set_ui(b, 5, 11);
    int status = call(argv[1], strtol(argv[2], NULL, 10));
    mpz_clears(x, y, z, q, NULL);
    mpf_clears(f, g, h, NULL);
    mpq_clears(a, b, c, NULL);
    return status;
}
