/* SPDX-License-Identifier: LGPL-3.0-or-later
 * From limbs to digits: quotient and remainder by the power between the halves, whose
 * reciprocal serves for all numbers of that size. */
#include <stdlib.h>
#include <string.h>

#include "lib/algorithms/divide.h"
#include "lib/algorithms/radix.h"
#include "lib/gmp/real.h"
#include "lib/memory/wipe.h"
#include "lib/operate/composition.h"
#include "lib/operate/operate_radix.h"

struct getter {
    const struct radix *x;
    struct divisor *v; /* the powers */
    int divisors;
    mp_ptr limbs;        /* the number, and quotients */
    size_t bytes;        /* theirs */
    unsigned char *leaf; /* a leaf's digits, and GMP's one more */
};

/* {sp, returned} = {digits, n} with zeros in front, as many as a leaf lacks. */
static size_t pad(const struct getter *g, unsigned char *sp, size_t n) {
    size_t zeros = g->x->leaf - n;
    memset(sp, 0, zeros);
    memcpy(sp + zeros, g->leaf, n);
    return g->x->leaf;
}

/* {np, nn} is lost, and np[nn]. */
static size_t get_leaf(const struct getter *g, unsigned char *sp, mp_ptr np, size_t nn,
                       bool is_first) {
    size_t n = nn ? real.mpn_get_str(g->leaf, g->x->base, np, (mp_size_t)nn) : 0;
    if (!is_first)
        return pad(g, sp, n);
    memcpy(sp, g->leaf, n);
    return n;
}

/* {sp, returned} = the digits of {np, nn} < base^(leaf << level), which is lost; all of
 * them, or without zeros in front.  tp is scratch. */
static size_t get(struct getter *g, int level, unsigned char *sp, mp_ptr np, size_t nn,
                  bool is_first, mp_ptr tp) {
    while (nn > 0 && np[nn - 1] == 0)
        nn--;
    if (level == 0)
        return get_leaf(g, sp, np, nn, is_first);
    struct divisor *v = &g->v[--level];
    size_t qn = 0;
    if (nn >= v->dn) {
        qn = nn - v->dn + 1;
        divisor_qr(v, tp, np, np, nn);
        nn = v->dn;
    }
    size_t n = get(g, level, sp, tp, qn, is_first, tp + v->dn + 1);
    return n + get(g, level, sp + n, np, nn, is_first && n == 0, tp);
}

/* For numbers below the square of each power. */
static bool prepare(struct getter *g) {
    for (int i = 0; i < g->x->levels; i++) {
        const struct radix_power *p = &g->x->power[i];
        if (!divisor_open(&g->v[i], g->x->w, p->p, p->n, 2 * p->n))
            return false;
        g->divisors++;
    }
    return true;
}

static size_t leaf_bytes(const struct getter *g) {
    return g->x->leaf + radix_digits(g->x->base, 2);
}

/* Room for the number, and for a quotient of each level. */
static bool allocate(struct getter *g, size_t un) {
    size_t limbs = un + 2;
    for (int i = 0; i < g->x->levels; i++)
        limbs += 2 * g->x->power[i].n + 1;
    g->bytes = limbs * sizeof *g->limbs;
    g->limbs = malloc(g->bytes);
    g->leaf = malloc(leaf_bytes(g));
    g->v = malloc(((size_t)g->x->levels + 1) * sizeof *g->v);
    return g->limbs && g->leaf && g->v;
}

/* From limbs to digits on the device, where it pays and works. */
static bool on_device(const struct radix *x, unsigned char *sp, size_t *n, mp_srcptr up, size_t un,
                      unsigned characters) {
    if (thresholds_is_small(un, &thresholds.get_str) || !composition_serves())
        return false;
    enum outcome outcome = operate_radix_get(sp, n, up, un, (unsigned)x->base, characters);
    composite_count(x->w, outcome);
    return outcome == OUTCOME_DONE;
}

static size_t by_halves(struct radix *x, unsigned char *sp, mp_srcptr up, size_t un) {
    struct getter g = {.x = x};
    size_t n = 0;
    if (radix_powers(x) && allocate(&g, un) && prepare(&g)) {
        size_t most = x->levels ? 2 * x->power[x->levels - 1].n : un + 1;
        mpn_copyi(g.limbs, up, (mp_size_t)un);
        n = get(&g, x->levels, sp, g.limbs, un, true, g.limbs + (most > un ? most : un + 1));
    }
    while (g.divisors > 0)
        divisor_close(&g.v[--g.divisors]);
    free(g.v);
    wipe_free(g.limbs, g.bytes);
    wipe_free(g.leaf, leaf_bytes(&g));
    return n;
}

size_t radix_get(struct radix *x, unsigned char *sp, mp_srcptr up, size_t un) {
    size_t n = 0;
    return on_device(x, sp, &n, up, un, TEXT_VALUES) ? n : by_halves(x, sp, up, un);
}

size_t radix_get_text(struct radix *x, char *s, mp_srcptr up, size_t un, unsigned characters) {
    char table[256];
    unsigned char *digits = (unsigned char *)s;
    size_t n = 0;
    if (on_device(x, digits, &n, up, un, characters))
        return n;
    for (unsigned i = 0; i < (unsigned)x->base; i++)
        table[i] = (char)text_character(i, characters);
    n = by_halves(x, digits, up, un);
    for (size_t i = 0; i < n; i++)
        s[i] = table[digits[i]];
    return n;
}
