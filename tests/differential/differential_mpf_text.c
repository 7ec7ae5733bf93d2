/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Compares mpf_get_str and mpf_out_str with GMP's results, in valid and invalid bases. The tests
 * request 0 digits, which means all digits, or a random number of digits, which may exceed the
 * digits of the number. Numbers have long runs of equal bits, or many of the lowest and highest
 * digits. Exponents are near 0 or far from 0. */
#include <stdlib.h>
#include <string.h>

#include "tests/differential/differential.h"

/* The device converts numbers of at least this many limbs.  They have two or more "leaves": parts
 * of the text that one work-item converts (kernels/radix/text.h). */
enum { LEAST_LIMBS = 40, GUARD_BYTES = 16 };

struct text {
    mpf_t u;
    int base;
    size_t digits;
    size_t most; /* GMP returns at least this many digits, if they are requested and not 0 */
    mp_exp_t exp;
    char *wanted;
};

static int magnitude(int base) {
    return abs(base) < 2 ? 10 : abs(base);
}

static size_t bits_of(int base) {
    size_t bits = 1;
    while (base >> (bits + 1))
        bits++;
    return bits;
}

static mp_exp_t random_exponent(struct run *run, size_t n) {
    switch (run_below(run, 4)) {
    case 0:
        return (mp_exp_t)n; /* an integer */
    case 1:
        return (mp_exp_t)run_below(run, 2 * n + 3) - (mp_exp_t)(n / 2) - 1;
    case 2:
        return (mp_exp_t)run_below(run, 3) - 1;
    default:
        return (mp_exp_t)run_below(run, 4000) - 2000;
    }
}

/* Sets u to a fraction with few digits or many equal ones, truncated to u's precision.  GMP's own
 * function reads the digits. */
static void random_fraction(struct run *run, mpf_ptr u, size_t n, int base) {
    static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    size_t most = 2 + run_below(run, n * 8), at = 0;
    unsigned char *sp = run_room(most);
    char *s = run_room(most + 40);
    most = run_digits(run, sp, most, base);
    /* all digits but the first become the highest digit, so that rounding carries far */
    if (run_below(run, 4) == 0)
        memset(sp + 1, base - 1, most - 1);
    s[at++] = '.';
    for (size_t i = 0; i < most; i++)
        s[at++] = digit[base <= 36 || sp[i] < 62 ? sp[i] : 0];
    sprintf(s + at, "@%d", (int)run_below(run, 300) - 150);
    run->reference->mpf_set_str(u, s, base);
    free(sp);
    free(s);
}

static void random_mpf(struct run *run, mpf_ptr u, int base) {
    size_t n, vn;
    run_sizes(run, &n, &vn);
    mpf_init2(u, n * GMP_NUMB_BITS);
    if (run_below(run, 16) == 0)
        return;
    if (run_below(run, 4) == 0) {
        random_fraction(run, u, n, base);
    } else {
        size_t limbs = 1 + (run_below(run, 4) ? n - 1 : run_below(run, n));
        u->_mp_size = (int)run_number(run, u->_mp_d, limbs, base);
        u->_mp_exp = random_exponent(run, n);
    }
    if (run_below(run, 2))
        u->_mp_size = -u->_mp_size;
}

static size_t random_digits(struct run *run, size_t most) {
    switch (run_below(run, 4)) {
    case 0:
        return run_below(run, 4);
    case 1:
        return 1 + run_below(run, 2 * most);
    case 2:
        return 1 + run_below(run, most);
    default:
        return 0;
    }
}

/* Returns 1 if the device converts the number: if the digits before rounding amount to at least
 * LEAST_LIMBS limbs. */
static int is_eligible(const struct text *t) {
    int base = magnitude(t->base);
    size_t digits = t->digits && t->digits < t->most ? t->digits : t->most;
    return mpf_sgn(t->u) && (base & (base - 1)) &&
           digits * bits_of(base) / GMP_NUMB_BITS >= LEAST_LIMBS;
}

static void text_make(struct run *run, struct text *t, int least_base) {
    int bases[] = {10, least_base + (int)run_below(run, 103), 3 + (int)run_below(run, 60)};
    t->base = bases[run_below(run, 3)];
    random_mpf(run, t->u, magnitude(t->base) <= 62 ? magnitude(t->base) : 10);
    int base = magnitude(t->base) <= 62 ? magnitude(t->base) : 10;
    t->most = (size_t)(t->u->_mp_prec - 1) * GMP_NUMB_BITS / (bits_of(base) + 1) + 2;
    t->digits = random_digits(run, t->most);
    size_t room = (size_t)(t->u->_mp_prec + 1) * GMP_NUMB_BITS + t->digits + 200;
    t->wanted = run_room(room);
    t->exp = 77;
}

static int text_check(struct text *t, const char *function, int good) {
    if (!good)
        fprintf(stderr, "differential: %s, %d limbs, exponent %ld, %zu digits in base %d: wrong\n",
                function, t->u->_mp_size, t->u->_mp_exp, t->digits, t->base);
    mpf_clear(t->u);
    free(t->wanted);
    return good;
}

/* Calls mpf_get_str with a buffer that has guard bytes behind its end, or with NULL, for which GMP
 * allocates a block. */
static int run_get_str(struct run *run, const void *how) {
    struct text t;
    mp_exp_t exp = 77;
    text_make(run, &t, -40);
    int is_text = run->reference->mpf_get_str(t.wanted, &t.exp, t.base, t.digits, t.u) != NULL;
    run->eligible += is_text && is_eligible(&t);
    /* GMP's manual permits to write a sign and a null byte beside the digits */
    size_t all = (size_t)(t.u->_mp_prec + 1) * GMP_NUMB_BITS,
           bytes = (t.digits ? t.digits : all) + 2;
    char *room = run_below(run, 2) ? run_room(bytes + GUARD_BYTES) : NULL;
    if (room)
        memset(room, 0x5a, bytes + GUARD_BYTES);
    else /* to compare blocks */
        run_free_text(run, run->reference->mpf_get_str(NULL, &exp, t.base, t.digits, t.u));
    char *s = mpf_get_str(room, &exp, t.base, t.digits, t.u);
    int good = same_text(s, room, is_text ? t.wanted : NULL) && exp == t.exp;
    for (size_t i = 0; good && room && i < GUARD_BYTES; i++)
        good = room[bytes + i] == 0x5a;
    free(room);
    return text_check(&t, how, good);
}

/* For a base that is not in GMP's table of bases, it is not defined how many digits "all digits"
 * (0) are.  The test then requests 5 digits. */
static int run_out_str(struct run *run, const void *how) {
    struct text t;
    char *text = NULL;
    size_t size = 0;
    text_make(run, &t, -36);
    if (t.base < 2 && t.base != 0 && t.digits == 0)
        t.digits = 5;
    if (t.base > 62 || t.base == 1)
        t.base = 0;
    size_t room = (size_t)(t.u->_mp_prec + 1) * GMP_NUMB_BITS + t.digits + 100;
    memset(t.wanted, 0, room);
    FILE *stream = run->reference->fmemopen_(t.wanted, room, "w");
    size_t wanted = run->reference->mpf_out_str(stream, t.base, t.digits, t.u);
    run->reference->fclose_(stream);
    run->eligible += is_eligible(&t);
    stream = open_memstream(&text, &size);
    size_t written = mpf_out_str(stream, t.base, t.digits, t.u);
    fclose(stream);
    int good = written == wanted && written == size && strcmp(text, t.wanted) == 0;
    free(text);
    return text_check(&t, how, good);
}

const struct differential_case differential_mpf_text[] = {
    {"mpf_get_str", run_get_str, "mpf_get_str"},
    {"mpf_out_str", run_out_str, "mpf_out_str"},
    {NULL, NULL, NULL},
};
