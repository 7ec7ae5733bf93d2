/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Half of Euclid's algorithm by halves (Knuth 4.5.2, exercise 40; A. Schoenhage, Schnelle
 * Berechnung von Kettenbruchentwicklungen, 1971).  A step is taken only if both numbers stay large
 * (N. Moeller, On Schoenhage's algorithm and subquadratic integer gcd computation, 2008): so no
 * step must be undone.
 *
 * Let the longer of a and b have n bits, and p be at most 2t - n - 2.  Take steps on floor(a / 2^p)
 * and floor(b / 2^p) that leave x, y >= 2^(t-p).  But for the floors, (a/2^p, b/2^p) = m (x, y).
 * The first column of m is at most 2^(n-p) / x, the second 2^(n-p) / y: both are at most 2^(n-t) <=
 * 2^(t-p-2).  The same steps change a and b to
 *
 *     m^-1 (a, b) = 2^p (x, y) + m^-1 (a modulo 2^p, b modulo 2^p).
 *
 * The last term is less than 2^p 2^(t-p-2) in magnitude: so both numbers are more than 3/4 2^t.
 * (The steps on x and y leave 3/4 of what is asked for: so 2^(t-p+1) is asked for.)
 *
 * To reduce n bits to t: reduce the highest bits down to (n+t)/2; take a step or two to get there;
 * then reduce the highest bits of the rest down to t.  For t = n/2 this is twice the same problem
 * of n/2 bits, and products: m of n/4 bits by low parts of n/2 and n/4 bits, and the product of the
 * two m. */
#include "lib/algorithms/hgcd.h"

#include "lib/algorithms/divide_mpz.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"

/* Numbers of fewer than LEAF limbs are reduced limb by limb.  For longer numbers, that would be
 * slower than reducing them by parts. */
enum { LEAF = 96, LEAST_LEAF = 8 };

static size_t leaf_limbs(void) {
    size_t mul = atomic_load_explicit(&thresholds.mul, memory_order_relaxed);
    return mul > LEAF / 4 ? LEAF : 4 * mul < LEAST_LEAF ? LEAST_LEAF : 4 * mul;
}

static size_t longer(mpz_srcptr a, mpz_srcptr b) {
    size_t an = composite_mpz_bits(a), bn = composite_mpz_bits(b);
    return an < bn ? bn : an;
}

static size_t shorter(mpz_srcptr a, mpz_srcptr b) {
    return min_u64(composite_mpz_bits(a), composite_mpz_bits(b));
}

static void set_unit(struct lehmer_matrix *m) {
    for (int i = 0; i < 4; i++)
        mpz_set_ui(m->e[i / 2][i % 2], i % 3 == 0);
}

void hgcd_init(struct lehmer_matrix *m) {
    for (int i = 0; i < 4; i++)
        mpz_init(m->e[i / 2][i % 2]);
    m->symbol = NULL;
    set_unit(m);
}

void hgcd_clear(struct lehmer_matrix *m) {
    for (int i = 0; i < 4; i++)
        mpz_clear(m->e[i / 2][i % 2]);
}

static bool is_unit(const struct lehmer_matrix *m) {
    return m->e[0][1]->_mp_size == 0 && m->e[1][0]->_mp_size == 0;
}

/* Independent products for one call of composite_mul_several. */
struct products {
    mpz_t r[LIMBS_SEVERAL];
    unsigned count;
    struct limbs_factors f[LIMBS_SEVERAL]; /* factors of those products that have no factor 0 */
    mpz_ptr to[LIMBS_SEVERAL];
    bool is_negative[LIMBS_SEVERAL];
    unsigned asked;
};

/* Adds the product x y to the list. */
static void ask(struct products *k, mpz_srcptr x, mpz_srcptr y) {
    size_t xn = mpz_size(x), yn = mpz_size(y);
    mpz_ptr r = k->r[k->count++];
    mpz_init(r);
    if (xn == 0 || yn == 0)
        return;
    mp_ptr rp = composite_mpz_grow(r, xn + yn);
    k->to[k->asked] = r;
    k->is_negative[k->asked] = (x->_mp_size ^ y->_mp_size) < 0;
    k->f[k->asked++] = (struct limbs_factors){rp, x->_mp_d, xn, y->_mp_d, yn};
}

static void make(struct composite *w, struct products *k) {
    composite_mul_several(w, k->f, k->asked);
    for (unsigned i = 0; i < k->asked; i++) {
        int n = (int)normalize(k->f[i].rp, k->f[i].un + k->f[i].vn);
        k->to[i]->_mp_size = k->is_negative[i] ? -n : n;
    }
}

static void products_clear(struct products *k) {
    while (k->count > 0)
        mpz_clear(k->r[--k->count]);
}

/* Adds to the list the four products whose differences are the two entries of m^-1 (x, y). */
static void ask_apply(struct products *k, const struct lehmer_matrix *m, mpz_srcptr x,
                      mpz_srcptr y) {
    ask(k, m->e[1][1], x);
    ask(k, m->e[0][1], y);
    ask(k, m->e[0][0], y);
    ask(k, m->e[1][0], x);
}

void hgcd_apply(struct composite *w, const struct lehmer_matrix *m, mpz_ptr x, mpz_ptr y) {
    struct products k = {.count = 0};
    ask_apply(&k, m, x, y);
    make(w, &k);
    real.mpz_sub(x, k.r[0], k.r[1]);
    real.mpz_sub(y, k.r[2], k.r[3]);
    products_clear(&k);
}

/* Adds to the list the eight products whose sums are the four entries of m k. */
static void ask_multiply(struct products *p, const struct lehmer_matrix *m,
                         const struct lehmer_matrix *k) {
    for (int i = 0; i < 4; i++) {
        ask(p, m->e[i / 2][0], k->e[0][i % 2]);
        ask(p, m->e[i / 2][1], k->e[1][i % 2]);
    }
}

/* x += q y */
static void add_product(struct composite *w, mpz_ptr x, mpz_srcptr q, mpz_srcptr y) {
    if (mpz_size(q) == 1) {
        real.mpz_addmul_ui(x, y, q->_mp_d[0]);
        return;
    }
    mpz_t t;
    mpz_init(t);
    composite_mpz_mul(w, t, q, y);
    real.mpz_add(x, x, t);
    mpz_clear(t);
}

/* Replaces the larger of a and b by its remainder modulo the smaller.  Returns false, and changes
 * nothing, if the remainder would be below 2^t. */
static bool step(struct composite *w, mpz_ptr a, mpz_ptr b, size_t t, struct lehmer_matrix *m) {
    mpz_t q, r;
    int to = mpz_cmp(a, b) >= 0; /* the column of m that changes */
    if (shorter(a, b) <= t)
        return false;
    mpz_init(q);
    mpz_init(r);
    divide_mpz_tdiv_qr(w, q, r, to ? a : b, to ? b : a);
    bool done = composite_mpz_bits(r) > t;
    if (done) {
        mpz_swap(r, to ? a : b);
        for (int i = 0; i < 2; i++)
            add_product(w, m->e[i][to], q, m->e[i][!to]);
        if (m->symbol)
            symbol_step(m->symbol, !to, q->_mp_d[0]);
    }
    mpz_clear(q);
    mpz_clear(r);
    return done;
}

static bool reduce_high(struct composite *w, mpz_ptr a, mpz_ptr b, size_t t,
                        struct lehmer_matrix *m, struct lehmer_matrix *before);

/* Takes steps that reduce a and b to about t bits, reading all their bits. m must be the unit
 * matrix at the call; it becomes the matrix of the steps. */
static void reduce(struct composite *w, mpz_ptr a, mpz_ptr b, size_t t, struct lehmer_matrix *m) {
    size_t n = longer(a, b), middle = t + (n - t) / 2;
    struct lehmer_matrix k;
    if (shorter(a, b) <= t)
        return;
    if (n < leaf_limbs() * GMP_NUMB_BITS) {
        lehmer_reduce(a, b, t, m);
        return;
    }
    reduce_high(w, a, b, middle, m, NULL);
    while (longer(a, b) > middle + GMP_NUMB_BITS)
        if (!step(w, a, b, t, m))
            return;
    hgcd_init(&k);
    k.symbol = m->symbol;
    reduce_high(w, a, b, t, &k, m);
    hgcd_clear(&k);
}

/* x = 2^p high + u - v, which is not negative unless a product is wrong. p is a multiple of a
 * limb's bits.  Changes high and u, too. x and high must own their limbs, since GMP may reallocate
 * them. */
static void put_together(mpz_ptr x, mpz_ptr high, size_t p, mpz_ptr u, mpz_srcptr v) {
    real.mpz_sub(u, u, v);
    mpz_mul_2exp(high, high, p);
    real.mpz_add(x, u, high);
}

/* Returns true if r and s are above 0 and have at most n limbs, the size before the reduction.
 * Only a wrong product that no check detected makes this test fail.  Without the test such a
 * product could cause an endless loop. */
static bool is_plausible(mpz_srcptr r, mpz_srcptr s, size_t n) {
    return r->_mp_size > 0 && s->_mp_size > 0 && longer(r, s) <= n;
}

/* Replaces a and b by m^-1 (a, b). x and y are the high parts of a and b, above bit p, already
 * multiplied by m^-1.  If `before` is not NULL, also multiplies *before by m.  Returns false and
 * changes neither a, b nor *before if a result is not plausible. */
static bool lift(struct composite *w, mpz_ptr a, mpz_ptr b, mpz_ptr x, mpz_ptr y, size_t p,
                 const struct lehmer_matrix *m, struct lehmer_matrix *before) {
    size_t n = p / GMP_NUMB_BITS;
    const mpz_t low_a = MPZ_ROINIT_N(a->_mp_d, (mp_size_t)normalize(a->_mp_d, n));
    const mpz_t low_b = MPZ_ROINIT_N(b->_mp_d, (mp_size_t)normalize(b->_mp_d, n));
    struct products k = {.count = 0};
    ask_apply(&k, m, low_a, low_b);
    if (before)
        ask_multiply(&k, before, m);
    make(w, &k);
    put_together(x, x, p, k.r[0], k.r[1]);
    put_together(y, y, p, k.r[2], k.r[3]);
    bool good = is_plausible(x, y, longer(a, b));
    if (good) {
        mpz_swap(a, x);
        mpz_swap(b, y);
    }
    for (int i = 0; good && before && i < 4; i++)
        real.mpz_add(before->e[i / 2][i % 2], k.r[4 + 2 * i], k.r[5 + 2 * i]);
    products_clear(&k);
    return good;
}

/* Reduces a and b like hgcd_reduce. m must be the unit matrix at the call.  If `before` is not
 * NULL, also multiplies *before by m. */
static bool reduce_high(struct composite *w, mpz_ptr a, mpz_ptr b, size_t t,
                        struct lehmer_matrix *m, struct lehmer_matrix *before) {
    size_t n = longer(a, b);
    if (shorter(a, b) <= t + 1)
        return false;
    size_t p = 2 * t > n + 2 ? (2 * t - n - 2) / GMP_NUMB_BITS * GMP_NUMB_BITS : 0;
    struct symbol symbol = m->symbol ? *m->symbol : (struct symbol){0};
    mpz_t x, y;
    mpz_init(x);
    mpz_init(y);
    mpz_tdiv_q_2exp(x, a, p);
    mpz_tdiv_q_2exp(y, b, p);
    reduce(w, x, y, t - p + 1, m);
    bool done = !is_unit(m) && lift(w, a, b, x, y, p, m, before);
    if (!done)
        set_unit(m);
    if (!done && m->symbol)
        *m->symbol = symbol;
    mpz_clear(x);
    mpz_clear(y);
    return done;
}

bool hgcd_reduce(struct composite *w, mpz_ptr a, mpz_ptr b, size_t t, struct lehmer_matrix *m) {
    return reduce_high(w, a, b, t, m, NULL);
}
