/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Integers and their texts. */
#include "lib/algorithms/text/text_integer.h"

#include <ctype.h>
#include <stdlib.h>

#include "lib/algorithms/text/text_base.h"
#include "lib/algorithms/text/text_digits.h"
#include "lib/memory/wipe.h"

size_t text_integer_room(int base, mpz_srcptr u) {
    return text_digits_room(base, mpz_size(u) + 1) + 2;
}

size_t text_integer_write(struct composite *w, int base, const char *characters, char *s,
                          mpz_srcptr u) {
    size_t un = mpz_size(u), sign = u->_mp_size < 0;
    unsigned char *digits = (unsigned char *)s + sign;
    size_t n = 1;
    *digits = 0;
    if (un)
        n = text_digits_get(w, base, digits, u->_mp_d, un);
    text_base_characters(s + sign, digits, n, base, characters);
    if (sign)
        *s = '-';
    return n ? sign + n : 0;
}

bool text_integer_append(struct composite *w, int base, const char *characters,
                         struct text_block *b, mpz_srcptr u) {
    char *s = text_block_room(b, text_integer_room(base, u));
    size_t n = text_integer_write(w, base, characters, s, u);
    b->n += n;
    return n > 0;
}

/* A number's text. */
struct text {
    const char *s, *end;
    bool negative;
};

static bool is_space(char c) {
    return isspace((unsigned char)c) != 0;
}

/* Skips white space, the sign and zeros. Returns false if no digit follows the sign, or nothing the
 * zeros. */
static bool skip_front(struct text *t, int base) {
    while (t->s < t->end && is_space(*t->s))
        t->s++;
    t->negative = t->s < t->end && *t->s == '-';
    t->s += t->negative;
    if (t->s == t->end || text_base_value((unsigned char)*t->s, base) >= base)
        return false;
    while (t->s < t->end && (*t->s == '0' || is_space(*t->s)))
        t->s++;
    return t->s < t->end;
}

/* Writes the values of the text's digits to `digits`.  Returns their count; 0 if there is a
 * character among them that is no white space. */
static size_t values_of(const struct text *t, int base, unsigned char *digits) {
    size_t n = 0;
    for (const char *s = t->s; s < t->end; s++) {
        size_t run = text_base_values(digits + n, s, (size_t)(t->end - s), base);
        n += run;
        s += run;
        if (s == t->end)
            break;
        if (!is_space(*s))
            return 0;
    }
    return n;
}

bool text_integer_read(struct composite *w, int base, mpz_ptr r, const char *s, size_t n) {
    struct text t = {s, s + n, false};
    if (base < 2 || base > 62 || !skip_front(&t, base))
        return false;
    size_t bytes = (size_t)(t.end - t.s);
    unsigned char *digits = malloc(bytes);
    size_t count = digits ? values_of(&t, base, digits) : 0;
    bool done = count && text_digits_set_mpz(w, base, r, digits, count, t.negative);
    wipe_free(digits, bytes);
    return done;
}
