/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Powers modulo m: sliding windows over the exponent, each product reduced by
 * the modulus's reciprocal, which is computed once.
 *
 * All is done modulo d' = 2^s |m|, the normalised modulus that the reciprocal belongs to, and
 * reduced modulo |m| at the end.  A number of fewer limbs than d' is left as it is: so powers of a
 * short base, and the multiplication by them, cost what their length does.  A step is a square
 * of n limbs, a product of n + 1 by n + 1 and one of n by n limbs, of which the high limbs are
 * known (divide.c): 3 M(n), or 2.5.
 *
 * (mpz_powm_sec stays GMP's: it promises a time that does not tell the operands.) */
#include "lib/algorithms/powm.h"

#include "lib/algorithms/divide.h"
#include "lib/algorithms/scratch.h"
#include "lib/gmp/normalize.h"
#include "lib/operate/composition.h"
#include "lib/operate/operate_powm.h"

enum { MOST_WINDOW = 6 };

/* {p, n}, n >= 1; only 0 has a zero limb at the top, and one limb. */
struct residue {
    mp_ptr p;
    size_t n;
};

struct powm {
    struct composite *w;
    struct reciprocal v; /* of the modulus, of v.dn limbs */
    mp_srcptr ep;        /* the exponent, of `bits` bits */
    size_t bits;
    unsigned window;         /* bits */
    struct residue x, spare; /* the power so far; space for a product: 2 v.dn limbs each */
    struct residue odd[1 << (MOST_WINDOW - 1)]; /* b, b^3, b^5 ... */
    mp_ptr block;
};

static void normalize_residue(struct residue *x) {
    x->n = normalize(x->p, x->n);
    x->n += x->n == 0;
}

/* x = u v modulo d'; both are less than d'; x's memory is neither's. */
static void multiply(struct powm *k, struct residue *x, const struct residue *u,
                     const struct residue *v) {
    size_t n = k->v.dn;
    composite_mul(k->w, x->p, u->p, u->n, v->p, v->n);
    x->n = u->n + v->n;
    normalize_residue(x);
    if (x->n < n)
        return;
    if (x->n < 2 * n)
        x->p[x->n++] = 0; /* now the n highest limbs are less than d' */
    divide_in_place(k->w, &k->v, NULL, x->p, x->n);
    x->n = n;
    normalize_residue(x);
}

/* x = x y, or its square. */
static void multiply_by(struct powm *k, const struct residue *y) {
    struct residue old = k->x;
    multiply(k, &k->spare, &old, y ? y : &old);
    k->x = k->spare;
    k->spare = old;
}

static void copy(struct residue *to, const struct residue *from) {
    mpn_copyi(to->p, from->p, (mp_size_t)from->n);
    to->n = from->n;
}

static unsigned bit(const struct powm *k, size_t i) {
    return (unsigned)(k->ep[i / GMP_NUMB_BITS] >> i % GMP_NUMB_BITS) & 1;
}

/* The window whose highest bit is `high`, a 1: the value, odd, and its lowest bit. */
static unsigned window_at(const struct powm *k, size_t high, size_t *low) {
    unsigned value = 0;
    *low = high + 1 > k->window ? high + 1 - k->window : 0;
    while (!bit(k, *low))
        ++*low;
    for (size_t i = high + 1; i > *low; i--)
        value = 2 * value + bit(k, i - 1);
    return value;
}

/* x = b^e; the table of odd powers is there. */
static void power(struct powm *k) {
    size_t low, left = k->bits; /* bits that are still to come */
    copy(&k->x, &k->odd[window_at(k, left - 1, &low) / 2]);
    for (left = low; left > 0; left = low) {
        const struct residue *odd = NULL;
        low = left - 1;
        if (bit(k, low))
            odd = &k->odd[window_at(k, low, &low) / 2];
        for (; left > low; left--)
            multiply_by(k, NULL);
        if (odd)
            multiply_by(k, odd);
    }
}

/* The window for an exponent: one bit more doubles the table, 2^(w-1), and there are
 * bits/(w+2) products by it in the place of bits/(w+1). */
static unsigned best_window(size_t bits) {
    unsigned w = 1;
    while (w < MOST_WINDOW && bits > (size_t)(w + 1) * (w + 2) << (w - 1))
        w++;
    return w;
}

static size_t entries(const struct powm *k) {
    return (size_t)1 << (k->window - 1);
}

/* Memory for all; false if there is none. */
static bool allocate(struct powm *k, mpz_srcptr m) {
    size_t n = mpz_size(m);
    if (!reciprocal_init(k->w, &k->v, m->_mp_d, n, n + 1))
        return false;
    k->block = scratch_alloc(4 * n + 2 * n * entries(k));
    if (!k->block) {
        reciprocal_clear(&k->v);
        return false;
    }
    k->x.p = k->block;
    k->spare.p = k->x.p + 2 * n;
    for (size_t i = 0; i < entries(k); i++)
        k->odd[i].p = k->spare.p + 2 * n * (i + 1);
    return true;
}

/* b and its odd powers; false if there is no memory. */
static bool make_table(struct powm *k, mpz_srcptr b) {
    struct residue base = {b->_mp_d, mpz_size(b)};
    size_t n = k->v.dn;
    if (base.n < n)
        copy(&k->odd[0], &base);
    else if (!divide_by(k->w, &k->v, NULL, k->odd[0].p, base.p, base.n))
        return false;
    else {
        k->odd[0].n = n;
        normalize_residue(&k->odd[0]);
    }
    if (entries(k) > 1)
        multiply(k, &k->x, &k->odd[0], &k->odd[0]);
    for (size_t i = 1; i < entries(k); i++)
        multiply(k, &k->odd[i], &k->odd[i - 1], &k->x);
    return true;
}

/* x modulo |m|, and |m| - x where the power is negative; false if there is no memory. */
static bool finish(struct powm *k, mpz_srcptr m, bool negative) {
    size_t n = k->v.dn;
    if (k->x.n == n && !divide_by(k->w, &k->v, NULL, k->x.p, k->x.p, n))
        return false;
    normalize_residue(&k->x);
    if (negative && k->x.p[k->x.n - 1]) {
        mpn_zero(k->x.p + k->x.n, (mp_size_t)(n - k->x.n));
        mpn_sub_n(k->x.p, m->_mp_d, k->x.p, (mp_size_t)n);
        k->x.n = n;
        normalize_residue(&k->x);
    }
    return true;
}

/* r = b^e modulo m; false, and nothing has changed, if there is no memory. */
static bool work(struct powm *k, mpz_ptr r, mpz_srcptr b, mpz_srcptr m) {
    if (!allocate(k, m))
        return false;
    bool done = make_table(k, b);
    if (done)
        power(k);
    done = done && finish(k, m, b->_mp_size < 0 && bit(k, 0));
    if (done) {
        mp_ptr rp = mpz_limbs_write(r, (mp_size_t)k->x.n);
        mpn_copyi(rp, k->x.p, (mp_size_t)k->x.n);
        mpz_limbs_finish(r, (mp_size_t)k->x.n);
    }
    scratch_free(k->block);
    reciprocal_clear(&k->v);
    return done;
}

static size_t bits_of(mp_srcptr ep, size_t en) {
    return en * GMP_NUMB_BITS - (size_t)__builtin_clzl(ep[en - 1]);
}

/* From operands to result on the device, where it works.  r has room for it. */
static bool on_device(struct composite *w, mpz_ptr r, mpz_srcptr b, mp_srcptr ep, size_t en,
                      mpz_srcptr m) {
    size_t mn = mpz_size(m);
    bool negative = b->_mp_size < 0 && ep[0] & 1;
    mp_ptr rp = r->_mp_d, mp = negative ? scratch_alloc(mn) : NULL;
    if (negative && !mp)
        return false;
    if (negative)
        mpn_copyi(mp, m->_mp_d, (mp_size_t)mn);
    const struct operate_power p = {rp, b->_mp_d, ep, m->_mp_d, mpz_size(b), en, mn};
    enum outcome outcome = operate_powm(&p);
    composite_count(w, outcome);
    if (outcome == OUTCOME_DONE && negative && !mpn_zero_p(rp, (mp_size_t)mn))
        mpn_sub_n(rp, mp, rp, (mp_size_t)mn);
    if (outcome == OUTCOME_DONE)
        r->_mp_size = (int)normalize(rp, mn);
    scratch_free(mp);
    return outcome == OUTCOME_DONE;
}

bool powm_mpz(struct composite *w, mpz_ptr r, mpz_srcptr b, mp_srcptr ep, size_t en, mpz_srcptr m) {
    size_t mn = mpz_size(m);
    if (mn >= 2 && composition_serves() && operate_powm_is_short(mn, en)) {
        bool is_exponent = ep == r->_mp_d;
        mp_ptr rp = composite_mpz_grow(r, mn);
        ep = is_exponent ? rp : ep;
        if (on_device(w, r, b, ep, en, m))
            return true;
    }
    struct powm k = {.w = w, .ep = ep, .bits = bits_of(ep, en)};
    k.window = best_window(k.bits);
    return work(&k, r, b, m);
}
