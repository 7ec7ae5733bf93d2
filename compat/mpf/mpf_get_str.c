/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpf_get_str and mpf_out_str. They convert the requested digits, and a few more for rounding, in
 * one radix conversion. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/intercept/composite_call.h"
#include "compat/mpf/mpf.h"
#include "lib/algorithms/radix.h"
#include "lib/algorithms/text/text_base.h"
#include "lib/algorithms/text/text_block.h"
#include "lib/algorithms/text/text_float.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"

/* The text that a call requests: its parameters, digits and memory. */
struct text {
    struct text_float f;
    const char *characters;
    size_t length;       /* the bytes of the text without the NUL */
    struct text_block b; /* memory for the text if the program provides none */
};

static struct text text_for(int base, size_t digits, mpf_srcptr u) {
    struct text t = {0};
    t.f.base = text_base_of(base, &t.characters);
    size_t most = t.f.base ? text_float_most_digits(t.f.base, u) : 0;
    t.f.digits = digits == 0 || digits > most ? most : digits;
    return t;
}

/* Returns the number of limbs of the integer whose digits are converted. Returns 0 if GMP must
 * convert u. */
static size_t size_of(const struct text *t, mpf_srcptr u) {
    return t->f.base && u->_mp_size ? text_float_limbs(t->f.base, t->f.digits) : 0;
}

/* Returns true if u has a low precision, or the call requests few digits. */
static inline bool is_small(size_t digits, mpf_srcptr u) {
    return thresholds_is_small((size_t)u->_mp_prec + 3, &thresholds.get_str) ||
           thresholds_is_small((digits - 1) / RADIX_LIMB_DIGITS + 3, &thresholds.get_str);
}

/* Converts u to digits at t->f.value, then to characters at s. */
static bool write_text(struct composite *w, struct text *t, char *s, mpf_srcptr u) {
    size_t sign = u->_mp_size < 0;
    if (!text_float_get(w, &t->f, u))
        return false;
    t->length = sign + t->f.n;
    if (sign)
        *s = '-';
    text_base_characters(s + sign, t->f.value, t->f.n, t->f.base, t->characters);
    s[t->length] = 0;
    return true;
}

/* Writes the text to the program's buffer s. It has room for the requested digits only, so the
 * digits are converted in a private buffer. */
static bool given_text(struct composite *w, struct text *t, char *s, mpf_srcptr u) {
    size_t bytes = text_float_room(t->f.base, t->f.digits);
    t->f.value = malloc(bytes);
    bool done = t->f.value && write_text(w, t, s, u);
    wipe_free(t->f.value, bytes);
    return done;
}

static bool new_text(struct composite *w, struct text *t, mpf_srcptr u) {
    text_block_open(&t->b, text_float_room(t->f.base, t->f.digits) + 2);
    t->f.value = (unsigned char *)t->b.s + (u->_mp_size < 0);
    bool done = write_text(w, t, t->b.s, u);
    t->b.n = t->length;
    if (!done)
        text_block_free(&t->b);
    return done;
}

/* Writes the text of u to *s. If *s is NULL, sets it to a new block from the program's memory
 * functions. */
static bool get_str(struct composite *w, struct text *t, char **s, mp_exp_t *exp, mpf_srcptr u) {
    bool done = *s ? given_text(w, t, *s, u) : new_text(w, t, u);
    if (done)
        *exp = t->f.exp;
    if (done && !*s)
        *s = text_block_give(&t->b);
    return done;
}

LARGE char *get_str_large(char *s, mp_exp_t *exp, int base, size_t digits, mpf_srcptr u) {
    struct text t = text_for(base, digits, u);
    size_t size = size_of(&t, u);
    CALL_COMPOSITE(w, CALL_ROW(mpf_get_str), size, &thresholds.get_str, size,
                   get_str(w, &t, &s, exp, u), s = real.mpf_get_str(s, exp, base, digits, u));
    return s;
}

EXPORT char *mpf_get_str(char *s, mp_exp_t *exp, int base, size_t digits, mpf_srcptr u) {
    INTERCEPT(is_small(digits, u), real.mpf_get_str(s, exp, base, digits, u),
              get_str_large(s, exp, base, digits, u));
}

/* Prints the text as 0.DIGITSe7, with the locale's decimal point. Returns the number of bytes, or 0
 * after an error. */
static size_t print_text(FILE *stream, int base, const struct text *t) {
    const char *s = t->b.s, *point = localeconv()->decimal_point;
    size_t sign = *s == '-', length = t->length - sign, written = sign + 1;
    if (sign)
        fputc(*s, stream);
    fputc('0', stream);
    written += fwrite(point, 1, strlen(point), stream);
    written += fwrite(s + sign, 1, length, stream);
    int exponent = fprintf(stream, base <= 10 ? "e%ld" : "@%ld", t->f.exp);
    written += (size_t)exponent;
    return ferror(stream) ? 0 : written;
}

/* Prints a number with many digits. GMP prints it if the call requests all digits in a base that
 * GMP's table does not contain. */
LARGE size_t out_str_large(FILE *stream, int base, size_t digits, mpf_srcptr u) {
    struct text t = text_for(base, digits, u);
    size_t written = 0, size = digits || base == 0 || base > 1 ? size_of(&t, u) : 0;
    bool is_ours = true;
    CALL_COMPOSITE(w, CALL_ROW(mpf_out_str), size, &thresholds.get_str, size, new_text(w, &t, u),
                   (is_ours = false, written = real.mpf_out_str(stream, base, digits, u)));
    if (!is_ours)
        return written;
    written = print_text(stream ? stream : stdout, base ? base : 10, &t);
    text_block_free(&t.b);
    return written;
}

EXPORT size_t mpf_out_str(FILE *stream, int base, size_t digits, mpf_srcptr u) {
    INTERCEPT(is_small(digits, u), real.mpf_out_str(stream, base, digits, u),
              out_str_large(stream, base, digits, u));
}
