/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes digits of pi with the formula of examples/pi.c. Sums the series by the binary splitting
 * of mpgpu.h, on the device if it is open. The other steps are calls of GMP, which the library
 * intercepts.
 *
 *   426880 sqrt(10005) / pi = sum over k >= 0 of
 *       (-1)^k (6k)! (13591409 + 545140134 k) / ((3k)! (k!)^3 640320^(3k)) */
#include <errno.h>
#include <gmp.h>
#include <mpgpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define A 13591409UL
#define B 545140134UL
#define C3_OVER_24 10939058860032000UL /* 640320^3 / 24 */
#define MOST_DIGITS 10000000000UL
#define GUARD_DIGITS 10

static int show_progress;

static void progress(const char *what) {
    if (show_progress)
        fprintf(stderr, "\r%-20s%s", what, *what ? "" : "\r");
}

/* Sets r to x, which has up to 128 bits. */
static void set_wide(mpz_ptr r, unsigned __int128 x) {
    mp_limb_t *limbs = mpz_limbs_write(r, 2);
    limbs[0] = (mp_limb_t)x;
    limbs[1] = (mp_limb_t)(x >> 64);
    mpz_limbs_finish(r, limbs[1] ? 2 : limbs[0] ? 1 : 0);
}

/* Computes term k of the series: factor p of the numerator, factor q of the denominator, and t =
 * p (13591409 + 545140134 k) (-1)^k. k is below 2^30, so p and k^3 have at most 97 bits. */
static void term(void *unused, size_t k, mpz_ptr p, mpz_ptr q, mpz_ptr t) {
    const unsigned __int128 wide = k;
    (void)unused;
    set_wide(p, k ? (6 * wide - 5) * (2 * k - 1) * (6 * k - 1) : 1);
    set_wide(q, k ? wide * k * k : 1);
    if (k)
        mpz_mul_ui(q, q, C3_OVER_24);
    mpz_mul_ui(t, p, A + B * k);
    if (k % 2)
        mpz_neg(t, t);
}

/* Sets x to about pi 10^digits, rounded down; the error is far less than 10^GUARD_DIGITS.
 * Returns 0 or an error of mpgpu.h. */
static int scaled_pi(mpz_t x, unsigned long digits) {
    mpz_t q, t;
    mpz_inits(q, t, NULL);
    progress("series");
    int error = mpgpu_tree_split(NULL, q, t, digits / 14 + 2, term, NULL);
    if (!error) {
        progress("square root");
        mpz_ui_pow_ui(x, 10, 2 * digits);
        mpz_mul_ui(x, x, 10005);
        mpz_sqrt(x, x);
        progress("division");
        mpz_mul_ui(q, q, 426880);
        mpz_mul(x, x, q);
        mpz_tdiv_q(x, x, t);
    }
    mpz_clears(q, t, NULL);
    return error;
}

/* Writes pi with `digits` decimals. Returns nonzero if computing or writing fails. */
static int write_pi(FILE *out, unsigned long digits) {
    mpz_t x;
    mpz_init(x);
    if (scaled_pi(x, digits + GUARD_DIGITS)) {
        fprintf(stderr, "pi-splitting: %s\n", mpgpu_error());
        mpz_clear(x);
        return 1;
    }
    progress("decimal digits");
    char *text = mpz_get_str(NULL, 10, x);
    mpz_clear(x);
    progress("");
    text[1 + digits] = '\0';
    int failed = fprintf(out, "%c.%s\n", text[0], text + 1) < 0;
    free(text);
    failed |= fflush(out) != 0;
    if (failed)
        fprintf(stderr, "pi-splitting: %s\n", strerror(errno));
    return failed;
}

static const char usage[] = "Usage: pi-splitting DIGITS\n"
                            "Print pi with DIGITS decimals (1 to 10000000000), cut, not rounded.\n"
                            "The device sums the series, or GMP until it is open.\n";

int main(int argc, char **argv) {
    char *end = NULL;
    if (argc == 2 && !strcmp(argv[1], "--help"))
        return fputs(usage, stdout) == EOF || fflush(stdout) == EOF;
    errno = 0;
    unsigned long digits = argc == 2 ? strtoul(argv[1], &end, 10) : 0;
    if (!end || argv[1][0] < '0' || argv[1][0] > '9' || *end || errno || digits < 1 ||
        digits > MOST_DIGITS) {
        fprintf(stderr, "pi-splitting: not a number of digits from 1 to 10000000000: '%s'\n%s",
                argc > 1 ? argv[1] : "", usage);
        return 2;
    }
    show_progress = isatty(STDERR_FILENO);
    return write_pi(stdout, digits);
}
