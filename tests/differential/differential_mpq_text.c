/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests conversion between fractions and texts: with and without a denominator, in valid and
 * invalid bases, for valid and invalid texts. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tests/differential/differential.h"

/* If the number or the text has at least this size, its conversion needs products that the device
 * can compute. */
enum { LEAST_LIMBS = 40, LEAST_DIGITS = 200 };

static int has_products(int base) {
    int b = abs(base) < 2 ? 10 : abs(base);
    return (b & (b - 1)) != 0;
}

/* Sets q to a fraction that is not in lowest terms; the denominator may be 0. */
static void random_mpq(struct run *run, mpq_ptr q) {
    size_t un, vn;
    run_sizes(run, &un, &vn);
    mpq_init(q);
    run_mpz(run, mpq_numref(q), run_below(run, 2) ? un : vn);
    if (run_below(run, 4))
        run_mpz(run, mpq_denref(q), run_below(run, 2) ? un : vn);
    /* GMP computes the length of the text from the denominator's size, which must not be
     * negative */
    mpz_abs(mpq_denref(q), mpq_denref(q));
}

static size_t most_text(mpq_srcptr q) {
    return (mpz_size(mpq_numref(q)) + mpz_size(mpq_denref(q)) + 2) * GMP_NUMB_BITS + 8;
}

static int eligible(mpq_srcptr q, int base) {
    size_t n = mpz_size(mpq_numref(q)), d = mpz_size(mpq_denref(q));
    return has_products(base) && (n > d ? n : d) >= LEAST_LIMBS;
}

static int random_base(struct run *run, int least) {
    int bases[] = {10, least + (int)run_below(run, 63 - (size_t)least),
                   3 + (int)run_below(run, 60)};
    return bases[run_below(run, 3)];
}

static int report(const char *function, int base, int good) {
    if (!good)
        fprintf(stderr, "differential: %s, base %d: wrong\n", function, base);
    return good;
}

static int run_get_str(struct run *run, const void *how) {
    mpq_t q;
    random_mpq(run, q);
    int base = random_base(run, -36);
    char *wanted = run_room(most_text(q)),
         *room = run_below(run, 2) ? run_room(most_text(q)) : NULL;
    int is_text = run->reference->mpq_get_str(wanted, base, q) != NULL;
    run->eligible += is_text && eligible(q, base);
    if (!room)
        run_free_text(run, run->reference->mpq_get_str(NULL, base, q)); /* to compare blocks */
    char *s = mpq_get_str(room, base, q);
    int good = same_text(s, room, is_text ? wanted : NULL);
    free(room);
    free(wanted);
    mpq_clear(q);
    return report(how, base, good);
}

static int run_out_str(struct run *run, const void *how) {
    mpq_t q;
    char *text = NULL;
    size_t size = 0;
    random_mpq(run, q);
    int base = random_base(run, -36);
    char *wanted = run_room(most_text(q));
    memset(wanted, 0, most_text(q));
    FILE *stream = run->reference->fmemopen_(wanted, most_text(q), "w");
    size_t right = run->reference->mpq_out_str(stream, base, q);
    run->reference->fclose_(stream);
    run->eligible += eligible(q, base);
    stream = open_memstream(&text, &size);
    size_t written = mpq_out_str(stream, base, q);
    fclose(stream);
    int good = written == right && strcmp(text, wanted) == 0;
    free(text);
    free(wanted);
    mpq_clear(q);
    return report(how, base, good);
}

/* Writes white space, a sign and digits; sometimes an invalid character. */
static size_t random_part(struct run *run, char *s, int base, size_t *most) {
    static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    static const char *const fronts[] = {"",   "",  "",   "",  "-",  " -",
                                         "\n", "0", "- ", "+", "0x", "/"};
    const char *front = fronts[run_below(run, sizeof fronts / sizeof *fronts)];
    size_t n = 1 + (run_below(run, run->most * 12) >> run_below(run, 8)), at = strlen(front);
    unsigned char *sp = run_room(n);
    n = run_digits(run, sp, n, base);
    strcpy(s, front);
    for (size_t i = 0; i < n; i++)
        s[at++] = digit[sp[i]];
    if (run_below(run, 8) == 0)
        s[at - 1 - run_below(run, n)] = " .-zZ/\xff"[run_below(run, 7)];
    s[at] = 0;
    free(sp);
    *most = n > *most ? n : *most;
    return at;
}

static int run_set_str(struct run *run, const void *how) {
    const struct reference *gmp = run->reference;
    mpq_t q, wanted;
    int base = run_below(run, 8) ? 2 + (int)run_below(run, 61) : 0;
    char *s = run_room(2 * run->most * 12 + 100);
    size_t most = 0, at = random_part(run, s, base ? base : 10, &most);
    if (run_below(run, 3)) {
        s[at++] = '/';
        random_part(run, s + at, base ? base : 10, &most);
    }
    mpq_init(q);
    gmp->mpz_init_(mpq_numref(wanted));
    gmp->mpz_init_(mpq_denref(wanted));
    run_mpz(run, mpq_numref(q), 3);
    run_mpz(run, mpq_denref(q), 3);
    gmp->mpz_set_(mpq_numref(wanted), mpq_numref(q));
    gmp->mpz_set_(mpq_denref(wanted), mpq_denref(q));
    int right = gmp->mpq_set_str(wanted, s, base), status = mpq_set_str(q, s, base);
    int good = status == right && same_mpz(mpq_numref(q), mpq_numref(wanted)) &&
               same_mpz(mpq_denref(q), mpq_denref(wanted));
    if (!good)
        fprintf(stderr, "differential: returned %d, GMP %d: %.200s\n", status, right, s);
    run->eligible +=
        right == 0 && base && has_products(base) && most >= LEAST_DIGITS &&
        (mpz_size(mpq_numref(q)) >= LEAST_LIMBS || mpz_size(mpq_denref(q)) >= LEAST_LIMBS);
    gmp->mpz_clear_(mpq_numref(wanted));
    gmp->mpz_clear_(mpq_denref(wanted));
    mpq_clear(q);
    free(s);
    return report(how, base, good);
}

const struct differential_case differential_mpq_text[] = {
    {"mpq_get_str", run_get_str, "mpq_get_str"},
    {"mpq_out_str", run_out_str, "mpq_out_str"},
    {"mpq_set_str", run_set_str, "mpq_set_str"},
    {NULL, NULL, NULL},
};
