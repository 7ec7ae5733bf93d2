/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests conversion from texts with all kinds of valid and invalid characters: mpf_set_str, and
 * input from streams.  For streams, the unread bytes are compared, too. */
#include <stdlib.h>
#include <string.h>

#include "tests/differential/differential.h"

/* If the number has at least this many limbs, its conversion needs products that the device can
 * compute. */
enum { LEAST_LIMBS = 40 };

struct text {
    char *s;
    int base;
    int is_plain; /* false if the text has characters that may end the number early */
};

static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

static size_t add(char *s, const char *part) {
    strcpy(s, part);
    return strlen(part);
}

#define CHOOSE(run, ...)                                                                           \
    ((const char *const[]){                                                                        \
        __VA_ARGS__})[run_below(run, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))]

/* Appends digits; with has_point, a point is among them.  Returns the number of characters. */
static size_t add_digits(struct run *run, char *s, int base, int has_point) {
    size_t n = 1 + (run_below(run, run->most * 12) >> run_below(run, 8)), at = 0;
    unsigned char *sp = run_room(n);
    n = run_digits(run, sp, n, base);
    size_t point = has_point ? run_below(run, n + 1) : n + 1;
    for (size_t i = 0; i < n; i++) {
        if (i == point)
            s[at++] = '.';
        s[at++] = digit[sp[i]];
    }
    free(sp);
    s[at] = 0;
    return at;
}

static void text_make(struct run *run, struct text *t, int is_float, int least_base) {
    size_t at = 0;
    int bases[] = {10, 0, least_base + (int)run_below(run, 63 - (size_t)least_base), 10};
    t->base = bases[run_below(run, 4)];
    int base = abs(t->base) < 2 ? 10 : abs(t->base);
    t->s = run_room(run->most * 12 + 100);
    at += add(t->s + at, CHOOSE(run, "", "", "", "", "-", " \n", "  -", "0", "000", ".", ".000",
                                "+", "- ", "0x", "0b1"));
    at += add_digits(run, t->s + at, base, is_float && run_below(run, 2));
    t->is_plain = run_below(run, 8) != 0;
    if (!t->is_plain)
        t->s[at - 1 - run_below(run, at < 9 ? at : 9)] = " .-@e_zZ/\xff"[run_below(run, 10)];
    if (is_float && run_below(run, 2)) {
        at += add(t->s + at, CHOOSE(run, "@", "@-", "e", "E-", "@+", "e "));
        at += (size_t)sprintf(t->s + at, "%zu", run_below(run, 4000) >> run_below(run, 12));
    }
    add(t->s + at, CHOOSE(run, "", "", "", " ", "\n", "/7", "x", " 12"));
}

static int same_mpf(mpf_srcptr x, mpf_srcptr y) {
    return x->_mp_size == y->_mp_size && x->_mp_exp == y->_mp_exp && x->_mp_prec == y->_mp_prec &&
           same_limbs(x->_mp_d, y->_mp_d, (size_t)abs(x->_mp_size));
}

static int is_power_of_two(int base) {
    int b = abs(base) < 2 ? 10 : abs(base);
    return (b & (b - 1)) == 0;
}

/* Returns true if the device computes the conversion.  Counts the digits of the text, because the
 * number itself may be truncated to fewer limbs. */
static int is_eligible(const struct text *t) {
    size_t n = strspn(t->s, " \n-0.");
    return t->is_plain && !is_power_of_two(t->base) &&
           strspn(t->s + n, digit) / sizeof(mp_limb_t) >= 4 * LEAST_LIMBS;
}

static int report(const char *function, const struct text *t, int good) {
    if (!good)
        fprintf(stderr, "differential: %s, base %d: wrong: %.300s\n", function, t->base, t->s);
    free(t->s);
    return good;
}

static int run_set_str(struct run *run, const void *how) {
    struct text t;
    mpf_t x, wanted;
    text_make(run, &t, 1, -62);
    size_t prec = 1 + run_below(run, run_below(run, 2) ? run->most : 8);
    mpf_init2(x, prec * GMP_NUMB_BITS);
    mpf_init2(wanted, prec * GMP_NUMB_BITS);
    mpf_set_ui(x, 17);
    mpf_set_ui(wanted, 17);
    int right = run->reference->mpf_set_str(wanted, t.s, t.base),
        status = mpf_set_str(x, t.s, t.base);
    run->eligible += right == 0 && is_eligible(&t);
    int good = status == right && same_mpf(x, wanted);
    mpf_clear(x);
    mpf_clear(wanted);
    return report(how, &t, good);
}

static int run_init_set_str(struct run *run, const void *how) {
    struct text t;
    mpf_t x, wanted;
    text_make(run, &t, 1, -62);
    int status = mpf_init_set_str(x, t.s, t.base);
    mpf_init2(wanted, mpf_get_prec(x));
    int right = run->reference->mpf_set_str(wanted, t.s, t.base);
    run->eligible += right == 0 && is_eligible(&t);
    int good = status == right && same_mpf(x, wanted);
    mpf_clear(x);
    mpf_clear(wanted);
    return report(how, &t, good);
}

/* Two streams with the same text, one for each libc: after both calls, the unread bytes must be the
 * same. */
struct streams {
    FILE *ours, *theirs;
};

static struct streams streams_open(struct run *run, struct text *t) {
    return (struct streams){fmemopen(t->s, strlen(t->s), "r"),
                            run->reference->fmemopen_(t->s, strlen(t->s), "r")};
}

static int streams_close(struct run *run, struct streams *s) {
    int c, right;
    do {
        c = getc(s->ours);
        right = run->reference->getc_(s->theirs);
    } while (c == right && c != EOF);
    fclose(s->ours);
    run->reference->fclose_(s->theirs);
    return c == right;
}

static int run_mpf_inp_str(struct run *run, const void *how) {
    struct text t;
    mpf_t x, wanted;
    text_make(run, &t, 1, -62);
    size_t prec = 1 + run_below(run, run_below(run, 2) ? run->most : 8);
    mpf_init2(x, prec * GMP_NUMB_BITS);
    mpf_init2(wanted, prec * GMP_NUMB_BITS);
    struct streams s = streams_open(run, &t);
    size_t right = run->reference->mpf_inp_str(wanted, s.theirs, t.base),
           bytes = mpf_inp_str(x, s.ours, t.base);
    run->eligible += right && is_eligible(&t);
    int good = streams_close(run, &s) && bytes == right && same_mpf(x, wanted);
    mpf_clear(x);
    mpf_clear(wanted);
    return report(how, &t, good);
}

static int run_mpz_inp_str(struct run *run, const void *how) {
    const struct reference *gmp = run->reference;
    struct text t;
    mpz_t x, wanted;
    text_make(run, &t, 0, 2);
    mpz_init_set_ui(x, 17);
    gmp->mpz_init_(wanted);
    gmp->mpz_set_(wanted, x);
    struct streams s = streams_open(run, &t);
    size_t right = gmp->mpz_inp_str(wanted, s.theirs, t.base),
           bytes = mpz_inp_str(x, s.ours, t.base);
    run->eligible += right && mpz_size(x) >= LEAST_LIMBS && is_eligible(&t);
    int good = streams_close(run, &s) && bytes == right && same_mpz(x, wanted);
    mpz_clear(x);
    gmp->mpz_clear_(wanted);
    return report(how, &t, good);
}

/* Appends a slash and a second number to the text. */
static void add_denominator(struct run *run, struct text *t) {
    struct text d;
    size_t n = strlen(t->s);
    text_make(run, &d, 0, 2);
    char *s = run_room(n + strlen(d.s) + 2);
    sprintf(s, "%s/%s", t->s, d.s);
    free(t->s);
    free(d.s);
    t->s = s;
}

static int run_mpq_inp_str(struct run *run, const void *how) {
    const struct reference *gmp = run->reference;
    struct text t;
    mpq_t x, wanted;
    text_make(run, &t, 0, 2);
    add_denominator(run, &t);
    mpq_init(x);
    gmp->mpz_init_(mpq_numref(wanted));
    gmp->mpz_init_(mpq_denref(wanted));
    gmp->mpz_set_(mpq_denref(wanted), mpq_denref(x));
    struct streams s = streams_open(run, &t);
    size_t right = gmp->mpq_inp_str(wanted, s.theirs, t.base),
           bytes = mpq_inp_str(x, s.ours, t.base);
    run->eligible += right && mpz_size(mpq_numref(x)) >= LEAST_LIMBS && is_eligible(&t);
    int good = streams_close(run, &s) && bytes == right &&
               same_mpz(mpq_numref(x), mpq_numref(wanted)) &&
               same_mpz(mpq_denref(x), mpq_denref(wanted));
    mpq_clear(x);
    gmp->mpz_clear_(mpq_numref(wanted));
    gmp->mpz_clear_(mpq_denref(wanted));
    return report(how, &t, good);
}

const struct differential_case differential_input[] = {
    {"mpf_set_str", run_set_str, "mpf_set_str"},
    {"mpf_init_set_str", run_init_set_str, "mpf_init_set_str"},
    {"mpf_inp_str", run_mpf_inp_str, "mpf_inp_str"},
    {"mpz_inp_str", run_mpz_inp_str, "mpz_inp_str"},
    {"mpq_inp_str", run_mpq_inp_str, "mpq_inp_str"},
    {NULL, NULL, NULL},
};
