/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A GMP program that makes GMP raise an error: number N of the functions below.  Exit status 3 if
 * there is no such number, 4 if GMP raises no error. */
#include <gmp.h>
#include <stdlib.h>

static mpz_t z;
static mpq_t q, no_q;
static mpf_t f, no_f;

static void large_power(void) {
    mpz_ui_pow_ui(z, 3, 1ul << 62);
}

static void larger_power(void) {
    mpz_pow_ui(z, z, ~0ul);
}

static void large_power_of_two(void) {
    mpz_ui_pow_ui(z, 2, 1ul << 40);
}

static void fraction_by_zero(void) {
    mpq_div(q, q, no_q);
}

static void float_by_zero(void) {
    mpf_div(f, f, no_f);
}

static void word_by_zero(void) {
    mpf_ui_div(f, 3, no_f);
}

static void root_of_negative(void) {
    mpf_neg(f, f);
    mpf_sqrt(f, f);
}

int main(int argc, char **argv) {
    static void (*const errors[])(void) = {
        large_power,   larger_power, large_power_of_two, fraction_by_zero,
        float_by_zero, word_by_zero, root_of_negative,
    };
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    if (n >= sizeof errors / sizeof *errors)
        return 3;
    mpz_init_set_ui(z, 3);
    mpq_inits(q, no_q, NULL);
    mpq_set_ui(q, 3, 7);
    mpf_init2(f, 10000);
    mpf_init2(no_f, 10000);
    mpf_set_ui(f, 3);
    errors[n]();
    return 4;
}
