/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The digits of a floating-point number.  A product with a power of the base, or a quotient by it,
 * makes an integer of a few more digits than asked for.  The integer is converted, and its digits
 * are rounded. */
#include <stdlib.h>

#include "lib/algorithms/divide.h"
#include "lib/algorithms/scratch.h"
#include "lib/algorithms/text/text_base.h"
#include "lib/algorithms/text/text_digits.h"
#include "lib/algorithms/text/text_float.h"
#include "lib/algorithms/text/text_power.h"
#include "lib/gmp/normalize.h"

struct integer {
    mp_ptr p; /* the integer {p, n}, inside the allocated block `room` */
    size_t n;
    mp_ptr room;
};

struct mantissa { /* the number {p, n} * 2^(64 (exp - n)) */
    mp_srcptr p;
    size_t n;
    mp_exp_t exp;
};

static struct mantissa upper(mpf_srcptr u, size_t most) {
    size_t n = (size_t)abs(u->_mp_size), skip = n > most ? n - most : 0;
    return (struct mantissa){u->_mp_d + skip, n - skip, u->_mp_exp};
}

static bool allocate(struct integer *x, size_t limbs) {
    x->room = scratch_alloc(limbs);
    return x->room != NULL;
}

/* x = u times a power of the base, truncated to an integer. */
static bool multiply(struct composite *w, struct integer *x, const struct mantissa *u,
                     const struct text_power *power) {
    mp_exp_t fraction = (mp_exp_t)u->n - u->exp - (mp_exp_t)power->dropped;
    size_t skip = fraction > 0 ? (size_t)fraction : 0, zeros = fraction < 0 ? (size_t)-fraction : 0;
    size_t n = zeros + u->n + power->n;
    if (!allocate(x, n))
        return false;
    if (zeros)
        mpn_zero(x->room, (mp_size_t)zeros);
    composite_mul(w, x->room + zeros, u->p, u->n, power->p, power->n);
    x->p = x->room + skip;
    x->n = skip < n ? normalize(x->p, n - skip) : 0;
    return x->n > 0;
}

/* {qp, nn - dn + 1} = {np, nn} / {dp, dn}; np may be overwritten. */
static bool quotient(struct composite *w, mp_ptr qp, mp_ptr np, size_t nn, mp_srcptr dp,
                     size_t dn) {
    bool exact;
    if (dn > 1)
        return divide_q(w, qp, &exact, np, nn, dp, dn);
    mpn_divrem_1(qp, 0, np, (mp_size_t)nn, *dp);
    return true;
}

/* x = u divided by a power of the base, truncated to an integer. */
static bool divide(struct composite *w, struct integer *x, const struct mantissa *u,
                   const struct text_power *power) {
    if (u->exp < (mp_exp_t)(power->dropped + power->n))
        return false;
    size_t nn = (size_t)u->exp - power->dropped, qn = nn - power->n + 1;
    if (nn < u->n || !allocate(x, nn + qn))
        return false;
    if (nn > u->n)
        mpn_zero(x->room, (mp_size_t)(nn - u->n));
    mpn_copyi(x->room + (nn - u->n), u->p, (mp_size_t)u->n);
    x->p = x->room + nn;
    if (!quotient(w, x->p, x->room, nn, power->p, power->n))
        return false;
    x->n = normalize(x->p, qn);
    return x->n > 0;
}

static bool convert(struct composite *w, struct text_float *t, const struct integer *x) {
    if (text_digits_room(t->base, x->n) > text_float_room(t->base, t->digits))
        return false;
    t->n = text_digits_get(w, t->base, t->value, x->p, x->n);
    return t->n > 0;
}

/* Rounds t's digits to t->digits digits. Only the first digit that is dropped decides. */
static void round_digits(struct text_float *t) {
    bool is_up = t->n > t->digits && 2 * t->value[t->digits] >= t->base;
    if (t->n > t->digits)
        t->n = t->digits;
    while (is_up && t->n > 0 && t->value[t->n - 1] == t->base - 1)
        t->n--;
    if (is_up && t->n > 0)
        t->value[t->n - 1]++;
    if (t->n == 0) { /* all digits were base - 1: the result is a power of the base */
        t->value[0] = 1;
        t->n = 1;
        t->exp++;
    }
    while (t->n > 0 && t->value[t->n - 1] == 0)
        t->n--;
}

size_t text_float_most_digits(int base, mpf_srcptr u) {
    return text_base_digits(base, (size_t)u->_mp_prec - 1) + 2;
}

size_t text_float_limbs(int base, size_t digits) {
    return text_base_limbs(base, digits);
}

/* Allows for two limbs more than the digits need. The quotient in text_float_get may have one limb
 * too many, because its divisor, a power of the base, may have one limb too few. */
size_t text_float_room(int base, size_t digits) {
    return text_digits_room(base, text_base_limbs(base, digits) + 2);
}

bool text_float_get(struct composite *w, struct text_float *t, mpf_srcptr number) {
    size_t limbs = text_base_limbs(t->base, t->digits);
    struct mantissa u = upper(number, limbs);
    struct integer x = {.room = NULL};
    struct text_power power;
    mp_exp_t more = (mp_exp_t)limbs - u.exp;
    unsigned long e = text_base_digits(t->base, (size_t)labs(more));
    if (!text_power_open(&power, w, (mp_limb_t)t->base, e, limbs + 1))
        return false;
    bool done = more >= 0 ? multiply(w, &x, &u, &power) : divide(w, &x, &u, &power);
    text_power_close(&power);
    done = done && convert(w, t, &x);
    scratch_free(x.room);
    t->exp = (mp_exp_t)t->n + (more >= 0 ? -(mp_exp_t)e : (mp_exp_t)e);
    if (done)
        round_digits(t);
    return done;
}
