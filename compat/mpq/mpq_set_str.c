/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpq_set_str and mpq_inp_str. They read a numerator, a slash and a denominator, each as
 * mpz_set_str reads a number. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "compat/intercept/composite_call.h"
#include "compat/mpz/mpz_inp_str.h"
#include "lib/algorithms/text/text_block.h"
#include "lib/algorithms/text/text_integer.h"
#include "lib/gmp/real.h"

static int set_by_gmp(mpz_ptr r, const char *s, size_t n, int base) {
    struct text_block b;
    text_block_open(&b, n + 1);
    text_block_add(&b, s, n);
    int error = real.mpz_set_str(r, text_block_string(&b), base);
    text_block_free(&b);
    return error;
}

/* Sets r to the number in the text {s, n}. GMP reads invalid texts and numbers with a prefix.
 * Returns 0, or -1 for an invalid text. */
static int set_part(struct composite *w, mpz_ptr r, const char *s, size_t n, int base) {
    if (text_integer_read(w, base, r, s, n))
        return 0;
    return set_by_gmp(r, s, n, base);
}

/* Sets q from the text s. If the text of the denominator is invalid, the denominator keeps its
 * value. If the text of the numerator is invalid, both keep their values. Without a slash, the
 * denominator is always set to 1. */
static int set(struct composite *w, mpq_ptr q, const char *s, int base) {
    struct composite_results r = {.to = {mpq_numref(q), mpq_denref(q)}};
    const char *slash = strchr(s, '/');
    composite_results_open(&r);
    int error = set_part(w, r.at[0], s, slash ? (size_t)(slash - s) : strlen(s), base);
    if (error)
        composite_results_drop(&r, 0);
    if (!slash)
        mpz_set_ui(r.at[1], 1);
    else if (error || (error = set_part(w, r.at[1], slash + 1, strlen(slash + 1), base)) != 0)
        composite_results_drop(&r, 1);
    composite_results_close(&r, true);
    return error;
}

static inline size_t size_of(const char *s) {
    return text_integer_limbs(strlen(s));
}

LARGE int set_str_large(mpq_ptr q, const char *s, int base) {
    size_t size = size_of(s);
    int error = 0;
    CALL_COMPOSITE(w, CALL_ROW(mpq_set_str), size, &thresholds.set_str, size,
                   (error = set(w, q, s, base), true), error = real.mpq_set_str(q, s, base));
    return error;
}

EXPORT int mpq_set_str(mpq_ptr q, const char *s, int base) {
    INTERCEPT(thresholds_is_small(size_of(s), &thresholds.set_str), real.mpq_set_str(q, s, base),
              set_str_large(q, s, base));
}

/* Reads a slash and the denominator, if there is a slash. Returns the number of bytes read plus 1;
 * 0 if the denominator is invalid. */
static size_t inp_denominator(mpq_ptr q, FILE *stream, int base) {
    int c = getc(stream);
    if (c != '/') {
        ungetc(c, stream);
        return 1;
    }
    size_t bytes =
        mpz_inp_str_from(CALL_ROW(mpq_inp_str), mpq_denref(q), stream, base, getc(stream));
    if (bytes == 0) {
        mpz_set_ui(mpq_numref(q), 0);
        mpz_set_ui(mpq_denref(q), 1);
    }
    return bytes ? bytes + 2 : 0;
}

EXPORT size_t mpq_inp_str(mpq_ptr q, FILE *stream, int base) {
    size_t bytes = 0, more;
    int c;
    call_init();
    stream = stream ? stream : stdin;
    while (isspace(c = getc(stream)))
        bytes++;
    mpz_set_ui(mpq_denref(q), 1);
    more = mpz_inp_str_from(CALL_ROW(mpq_inp_str), mpq_numref(q), stream, base, c);
    if (more == 0)
        return 0;
    bytes += more;
    more = inp_denominator(q, stream, base);
    return more ? bytes + more - 1 : 0;
}
