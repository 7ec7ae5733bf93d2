/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpf_set_str, mpf_init_set_str and mpf_inp_str. This file reads only valid texts of numbers other
 * than 0. GMP reads all other texts, and reports the errors. */
#define _GNU_SOURCE 1 /* memrchr */
#include "compat/mpf/mpf_set_str.h"

#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/intercept/composite_call.h"
#include "compat/mpf/mpf.h"
#include "lib/algorithms/text/text_base.h"
#include "lib/algorithms/text/text_block.h"
#include "lib/algorithms/text/text_float.h"
#include "lib/algorithms/text/text_integer.h"
#include "lib/algorithms/text/text_stream.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"

/* The most digits of an exponent that this file reads; in any base up to 62, this number of digits
 * fits into a word. */
enum { EXPONENT_DIGITS = 10 };

enum { SMALL = 256 }; /* maximum bytes of a text that is stored without an allocated block */

struct text {
    int base, exponent_base;
    bool negative;
    const char *s, *end; /* the text of the mantissa */
    unsigned char *digits;
    /* n: number of significant digits; bytes: size of `digits`; fraction: number of digits behind
     * the point */
    size_t n, bytes, fraction;
    long exp;
};

/* Returns the last place in {s, n} at which one of `characters` occurs, or NULL. Ignores the first
 * byte of s. */
static const char *last_of(const char *s, size_t n, const char *characters) {
    const char *last = NULL;
    for (; n > 1 && *characters; characters++) {
        const char *found = memrchr(s + 1, *characters, n - 1);
        last = found && (!last || found > last) ? found : last;
    }
    return last;
}

/* Returns the place of the exponent's mark (@, e or E) in the text s, or `end` if there is none. */
static const char *find_exponent(const struct text *t, const char *s, const char *end) {
    const char *found = last_of(s, (size_t)(end - s), t->base <= 10 ? "@eE" : "@");
    return found ? found : end;
}

/* Reads the digits of the exponent at s. Ignores text behind them, as GMP does. Returns false if
 * there are none, or too many. */
static bool read_exponent(struct text *t, const char *s) {
    bool negative = *s == '-';
    int n = 0;
    s += *s == '-' || *s == '+';
    t->exp = 0;
    for (int value; (value = text_base_value((unsigned char)*s, t->base)) < t->exponent_base; s++) {
        t->exp = t->exp * t->exponent_base + value;
        if (++n > EXPONENT_DIGITS)
            return false;
    }
    t->exp = negative ? -t->exp : t->exp;
    return n > 0;
}

/* Returns the length of the decimal point `point` if it is at s, otherwise 0. */
static size_t point_at(const char *s, const char *point) {
    size_t n = strlen(point);
    return strncmp(s, point, n) == 0 ? n : 0;
}

/* Returns true if the text begins with a digit, or with a point and a digit. */
static bool begins(const struct text *t, const char *point) {
    size_t skip = 0;
    if (text_base_value((unsigned char)*t->s, t->base) >= t->base)
        skip = point_at(t->s, point);
    return text_base_value((unsigned char)t->s[skip], t->base) < t->base;
}

/* Appends the digits at s to t->digits, without leading zeros. Returns the number of bytes read. */
static size_t add_digits(struct text *t, const char *s) {
    size_t n = (size_t)(t->end - s), zeros = 0;
    while (t->n == 0 && zeros < n && s[zeros] == '0')
        zeros++;
    size_t run = text_base_values(t->digits + t->n, s + zeros, n - zeros, t->base);
    t->n += run;
    return zeros + run;
}

static bool read_mantissa(struct text *t, const char *point) {
    bool has_point = false;
    for (const char *s = t->s; s < t->end;) {
        size_t run = add_digits(t, s);
        t->fraction += has_point ? run : 0;
        s += run;
        if (s == t->end)
            break;
        size_t skip = point_at(s, point);
        if (isspace((unsigned char)*s))
            skip = 1;
        else if (skip == 0 || has_point)
            return false;
        else
            has_point = true;
        s += skip;
    }
    return t->n > 0;
}

static bool set_bases(struct text *t, int base) {
    t->base = base < 0 ? -base : base ? base : 10;
    t->exponent_base = base < 0 ? 10 : t->base;
    return t->base >= 2 && t->base <= 62;
}

/* Reads the sign and the exponent, and finds the mantissa. Returns false if GMP must read the
 * text. */
static bool text_open(struct text *t, const char *s, int base) {
    *t = (struct text){.base = 0};
    while (isspace((unsigned char)*s))
        s++;
    t->negative = *s == '-';
    s += t->negative;
    t->s = s;
    if (!set_bases(t, base) || !begins(t, localeconv()->decimal_point))
        return false;
    const char *end = s + strlen(s);
    t->end = find_exponent(t, s, end);
    return t->end == end || read_exponent(t, t->end + 1);
}

static bool set(struct composite *w, mpf_ptr r, struct text *t) {
    t->bytes = (size_t)(t->end - t->s) + 1;
    t->digits = malloc(t->bytes);
    bool done =
        t->digits && read_mantissa(t, localeconv()->decimal_point) &&
        text_float_set(w, t->base, r, t->digits, t->n, t->exp - (long)t->fraction, t->negative);
    wipe_free(t->digits, t->bytes);
    return done;
}

/* Returns the size of the operation in limbs: the size of the mantissa as an integer, or of
 * base^|exponent|, of which at most r's precision counts, if that is longer. Returns 0 if GMP must
 * read the text. */
static size_t size_of(struct text *t, mpf_srcptr r, const char *s, int base) {
    if (!text_open(t, s, base))
        return 0;
    size_t limbs = text_integer_limbs((size_t)(t->end - t->s));
    size_t power = t->exp ? text_base_limbs(t->base, (size_t)labs(t->exp)) : 0;
    size_t most = min_u64(power, (size_t)r->_mp_prec);
    return limbs > most ? limbs : most;
}

/* Returns true if both the text and r's precision are short. */
static inline bool is_small(mpf_srcptr r, const char *s) {
    return thresholds_is_small((size_t)r->_mp_prec, &thresholds.set_str) &&
           thresholds_is_small(text_integer_limbs(strlen(s)), &thresholds.set_str);
}

int mpf_set_str_of(enum call_row row, mpf_ptr r, const char *s, int base) {
    struct text t;
    int error = 0;
    size_t size = size_of(&t, r, s, base);
    CALL_COMPOSITE(w, row, size, &thresholds.set_str, size, set(w, r, &t),
                   error = real.mpf_set_str(r, s, base));
    return error;
}

LARGE int set_str_large(mpf_ptr r, const char *s, int base) {
    return mpf_set_str_of(CALL_ROW(mpf_set_str), r, s, base);
}

EXPORT int mpf_set_str(mpf_ptr r, const char *s, int base) {
    INTERCEPT(is_small(r, s), real.mpf_set_str(r, s, base), set_str_large(r, s, base));
}

LARGE int init_set_str_large(mpf_ptr r, const char *s, int base) {
    mpf_init(r);
    return mpf_set_str_of(CALL_ROW(mpf_init_set_str), r, s, base);
}

EXPORT int mpf_init_set_str(mpf_ptr r, const char *s, int base) {
    INTERCEPT(thresholds_is_small(text_integer_limbs(strlen(s)), &thresholds.set_str),
              real.mpf_init_set_str(r, s, base), init_set_str_large(r, s, base));
}

static bool is_in_word(int c) {
    return c != EOF && !isspace(c);
}

/* Reads bytes of a word, beginning with c, until the word ends or block b is full. Returns the next
 * character. */
static int read_part(struct text_block *b, FILE *stream, int c) {
    for (; is_in_word(c) && b->n < b->bytes; c = getc_unlocked(stream))
        b->s[b->n++] = (char)c;
    return c;
}

LARGE int read_locked(struct text_block *b, FILE *stream, int c) {
    int next = EOF;
    TEXT_STREAM_LOCKED(stream, next = read_part(b, stream, c));
    return next;
}

/* Skips white space and reads a word into block b. Does not consume the character behind the word.
 * Returns the number of bytes consumed. */
static size_t read_word(struct text_block *b, FILE *stream) {
    size_t spaces = 0;
    int c;
    while (isspace(c = getc(stream)))
        spaces++;
    while (is_in_word(c)) {
        text_block_room(b, 1);
        c = read_locked(b, stream, c);
    }
    ungetc(c, stream);
    return spaces + b->n;
}

/* Reads the whole word before it decides whether GMP converts it, because the length of the word is
 * known only at its end. */
EXPORT size_t mpf_inp_str(mpf_ptr r, FILE *stream, int base) {
    struct text_block b;
    char small[SMALL];
    call_init();
    text_block_open_small(&b, small, sizeof small);
    size_t bytes = read_word(&b, stream ? stream : stdin);
    int error = mpf_set_str_of(CALL_ROW(mpf_inp_str), r, text_block_string(&b), base);
    text_block_free(&b);
    return error == -1 ? 0 : bytes;
}
