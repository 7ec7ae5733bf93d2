/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes in how many ways each number below N is a sum of eight squares. This is an ordinary
 * GMP program that does not use mpgpu.h.
 *
 * r8(n) is the number of ways to write n as a sum of eight squares; order and signs count. It is
 * coefficient n of the eighth power of Jacobi's theta(x) = 1 + 2 x + 2 x^4 + 2 x^9 + .... One
 * integer stores the polynomial theta, each coefficient in 128 bits, and is squared three times.
 * Jacobi's formula checks the result:
 *
 *   r8(n) = 16 times the sum over all d that divide n of (-1)^(n + d) d^3 */
#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_BITS 128UL
#define MOST (1UL << 24) /* if n < MOST, r8(n) < 2^80, and sums of 128 bits do not overflow */
#define SHOWN 8

typedef unsigned __int128 wide;

/* theta(x) modulo x^n. */
static void theta(mpz_t x, unsigned long n) {
    mpz_set_ui(x, 1);
    for (unsigned long i = 1; i * i < n; i++)
        mpz_setbit(x, SLOT_BITS * i * i + 1);
}

static void eighth_power(mpz_t x, unsigned long n) {
    for (int i = 0; i < 3; i++) {
        mpz_mul(x, x, x);
        mpz_tdiv_r_2exp(x, x, SLOT_BITS * n);
    }
}

/* Computes r8(n) / 16 for 1 <= n < count by Jacobi's formula, in two's complement. Returns NULL
 * if memory is exhausted. */
static wide *by_formula(unsigned long count) {
    wide *sum = calloc(count, sizeof *sum);
    for (unsigned long d = 1; sum && d < count; d++) {
        wide cube = (wide)d * d * d;
        for (unsigned long n = d; n < count; n += d)
            sum[n] += (n + d) % 2 ? -cube : cube;
    }
    return sum;
}

static wide coefficient(const mpz_t x, unsigned long n) {
    wide high = mpz_getlimbn(x, 2 * (mp_size_t)n + 1);
    return high << 64 | mpz_getlimbn(x, 2 * (mp_size_t)n);
}

static void print_decimal(FILE *out, wide value) {
    char text[40], *at = text + sizeof text - 1;
    for (*at = '\0'; value > 0 || at == text + sizeof text - 1; value /= 10)
        *--at = (char)('0' + (int)(value % 10));
    fputs(at, out);
}

/* Prints the last values of r8, and a checksum of all values. Returns false if a value differs
 * from the array `right`. */
static bool print_and_check(FILE *out, const mpz_t x, const wide *right, unsigned long count) {
    bool is_right = true;
    uint64_t sum = 0;
    for (unsigned long n = 1; n < count; n++) {
        wide r = coefficient(x, n);
        is_right = is_right && r == 16 * right[n];
        sum = sum * 0x9e3779b97f4a7c15 + (uint64_t)r + (uint64_t)(r >> 64);
        if (n + SHOWN < count)
            continue;
        fprintf(out, "r8(%lu) = ", n);
        print_decimal(out, r);
        putc('\n', out);
    }
    fprintf(out, "all below %lu: %016llx\n", count, (unsigned long long)sum);
    return is_right;
}

static const char usage[] =
    "Usage: eight-squares [N]\n"
    "In how many ways the numbers below N (default 1000000) are sums of eight squares: the\n"
    "last of them, and a sum of all, each checked by Jacobi's formula.\n";

int main(int argc, char **argv) {
    const char *given = argc > 1 ? argv[1] : "1000000";
    char *end;
    if (argc == 2 && strcmp(given, "--help") == 0)
        return fputs(usage, stdout) == EOF || fflush(stdout) == EOF;
    unsigned long count = strtoul(given, &end, 10);
    if (argc > 2 || *given < '0' || *given > '9' || *end || count < 2 || count > MOST) {
        fprintf(stderr, "eight-squares: not a number from 2 to %lu: '%s'\n%s", (unsigned long)MOST,
                argc > 2 ? argv[2] : given, usage);
        return 2;
    }
    mpz_t x;
    mpz_init(x);
    theta(x, count);
    eighth_power(x, count);
    wide *right = by_formula(count);
    if (!right) {
        fputs("eight-squares: not enough memory\n", stderr);
        return 1;
    }
    bool is_right = print_and_check(stdout, x, right, count);
    free(right);
    mpz_clear(x);
    if (!is_right)
        fputs("eight-squares: the result differs from Jacobi's formula\n", stderr);
    return is_right && fflush(stdout) == 0 ? 0 : 1;
}
