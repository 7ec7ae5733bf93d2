/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests conversion from digits to numbers: in all valid bases, with long runs of the lowest
 * and the highest digit.  Texts may also have white space, zeros, signs, prefixes and invalid
 * characters. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/differential/differential.h"

/* The device converts texts of at least this many digits, in any base but powers of 2.  They have
 * two or more "leaves": parts of the text that one work-item converts (kernels/radix/text.h). */
enum { LEAST_DIGITS = 650 };

static int is_eligible(int base, size_t digits) {
    return base > 2 && (base & (base - 1)) != 0 && digits >= LEAST_DIGITS;
}

/* Returns the limbs for n digits of any base up to 256, plus one limb that GMP may write. */
static size_t limbs_for(size_t n) {
    return n / sizeof(mp_limb_t) + 2;
}

static size_t random_count(struct run *run) {
    return 1 + (run_below(run, run->most * 12) >> run_below(run, 8));
}

static int run_mpn(struct run *run, const void *how) {
    int base = 2 + (int)run_below(run, run_below(run, 2) ? 9 : 255);
    size_t n = random_count(run);
    unsigned char *sp = run_room(n);
    (void)how;
    n = run_digits(run, sp, n, base);
    /* Replaces a leading zero digit in 7 of 8 cases.  In the others, GMP's result may have high
     * limbs of 0, and the library must return the same number of limbs. */
    if (sp[0] == 0 && run_below(run, 8))
        sp[0] = (unsigned char)(1 + run_below(run, (size_t)base - 1));
    mp_ptr wanted = run_room(limbs_for(n) * sizeof *wanted),
           rp = run_room(limbs_for(n) * sizeof *rp);
    mp_size_t wn = run->reference->mpn_set_str(wanted, sp, n, base);
    run->eligible += sp[0] && is_eligible(base, n);
    mp_size_t rn = mpn_set_str(rp, sp, n, base);
    int good = rn == wn && same_limbs(rp, wanted, (size_t)rn);
    if (!good)
        fprintf(stderr, "differential: mpn_set_str, %zu digits of base %d: wrong\n", n, base);
    free(sp);
    free(wanted);
    free(rp);
    return good;
}

struct text {
    char *text;
    int base;
};

/* Returns the base of the text's digits: 10 for base 0 and for invalid bases. */
static int digits_base(const struct text *t) {
    return t->base >= 2 && t->base <= 62 ? t->base : 10;
}

static char character(struct run *run, int digit, int base) {
    static const char upper[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
                      lower[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    return base <= 36 && run_below(run, 2) ? lower[digit] : upper[digit];
}

/* Writes white space, a sign, zeros or a base prefix in front of the digits.  Returns the number of
 * characters. */
static size_t text_front(struct run *run, char *s) {
    static const char *const fronts[] = {"",    "",     "",   "",    "-", "-",  " \t\n", "  -",
                                         "000", "-0 0", "0x", "-0b", "+", "- ", "--"};
    const char *front = fronts[run_below(run, sizeof fronts / sizeof *fronts)];
    strcpy(s, front);
    return strlen(front);
}

/* Puts blanks among the digits, or one invalid character or digit, or changes nothing. */
static void spoil(struct run *run, struct text *t, size_t front, size_t n) {
    static const char wrong[] = ".+-_~\x7f\x80\xff,:;=@[`{/";
    if (n < 2)
        return;
    size_t at = front + 1 + run_below(run, n - 1), blanks = run_below(run, 8);
    switch (run_below(run, 8)) {
    case 0:
        t->text[at] = wrong[run_below(run, sizeof wrong - 1)];
        break;
    case 1:
        t->text[at] = digits_base(t) == 36 || digits_base(t) == 62
                          ? '{'
                          : character(run, digits_base(t), 62); /* the least invalid digit */
        break;
    case 2:
        while (blanks-- > 0)
            t->text[front + 1 + run_below(run, n - 1)] = " \t\n\v\f\r"[run_below(run, 6)];
        break;
    default:
        break;
    }
}

static void text_make(struct run *run, struct text *t) {
    size_t n = random_count(run);
    static const int invalid[] = {1, 63, 64, 256, -2, -10};
    int bases[] = {10, 0, 2 + (int)run_below(run, 61), 2 + (int)run_below(run, 35)};
    t->base = bases[run_below(run, 4)];
    if (run_below(run, 32) == 0)
        t->base = invalid[run_below(run, sizeof invalid / sizeof *invalid)];
    int base = digits_base(t);
    unsigned char *digits = run_room(n);
    n = run_digits(run, digits, n, base);
    t->text = run_room(n + 16);
    size_t front = text_front(run, t->text);
    for (size_t i = 0; i < n; i++)
        t->text[front + i] = character(run, digits[i], base);
    t->text[front + n] = 0;
    free(digits);
    spoil(run, t, front, n);
}

/* Returns true if the device converts the text, which must be a valid number. */
static int text_is_eligible(const struct text *t) {
    const char *s = t->text + strspn(t->text, " \t\n\v\f\r-");
    size_t digits = 0;
    if (t->base == 0 && *s == '0')
        /* base 0 with a leading 0 means base 2, 8 or 16, for which the conversion needs no
         * product */
        return 0;
    for (s += strspn(s, "0 \t\n\v\f\r"); *s; s++)
        digits += isalnum((unsigned char)*s) != 0;
    return is_eligible(t->base ? t->base : 10, digits);
}

/* Compares mpz_set_str with GMP's function.  If GMP rejects the text, the variable must keep its
 * old value. */
static int compare(struct run *run, const struct text *t, const char *function, int is_init) {
    const struct reference *gmp = run->reference;
    mpz_t w, wanted;
    gmp->mpz_init_(wanted);
    if (!is_init) {
        mpz_init(w);
        run_mpz(run, w, 1 + run_below(run, run->most));
        gmp->mpz_set_(wanted, w);
    }
    int right = gmp->mpz_set_str(wanted, t->text, t->base);
    run->eligible += right == 0 && text_is_eligible(t);
    int status = is_init ? mpz_init_set_str(w, t->text, t->base) : mpz_set_str(w, t->text, t->base);
    int good = status == right && same_mpz(w, wanted);
    if (!good)
        fprintf(stderr, "differential: %s, base %d: returned %d, GMP %d: %.200s\n", function,
                t->base, status, right, t->text);
    mpz_clear(w);
    gmp->mpz_clear_(wanted);
    return good;
}

static int run_mpz_set_str(struct run *run, const void *how) {
    struct text t;
    text_make(run, &t);
    int good = compare(run, &t, how, strcmp(how, "mpz_init_set_str") == 0);
    free(t.text);
    return good;
}

const struct differential_case differential_set_str[] = {
    {"mpn_set_str", run_mpn, NULL},
    {"mpz_set_str", run_mpz_set_str, "mpz_set_str"},
    {"mpz_init_set_str", run_mpz_set_str, "mpz_init_set_str"},
    {NULL, NULL, NULL},
};
