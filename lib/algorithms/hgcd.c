/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The half-gcd algorithm: takes half of Euclid's steps by divide and conquer (Knuth 4.5.2,
 * exercise 40; A. Schoenhage, Schnelle Berechnung von Kettenbruchentwicklungen, 1971). A step is
 * taken only if both numbers stay large, so no step must be undone (N. Moeller, On Schoenhage's
 * algorithm and subquadratic integer gcd computation, 2008).
 *
 * Bounds. Let the longer of a and b have n bits, and let p <= 2t - n - 2. Steps on floor(a / 2^p)
 * and floor(b / 2^p) leave numbers x, y >= 2^(t-p). Let m be the matrix of these steps: (a/2^p,
 * b/2^p) = m (x, y), apart from the floors. So the entries of m are at most 2^(n-p) / x or
 * 2^(n-p) / y, hence at most 2^(n-t) <= 2^(t-p-2). The same steps change a and b to
 *
 *     m^-1 (a, b) = 2^p (x, y) + m^-1 (a modulo 2^p, b modulo 2^p).
 *
 * The last term is less than 2^p 2^(t-p-2) in magnitude, so both numbers stay above 3/4 2^t. To
 * make up for the lost quarter, the code passes the bound 2^(t-p+1) for x and y.
 *
 * Order of the reduction from n to t bits:
 * - Reduce the highest bits, until the numbers have (n+t)/2 bits.
 * - Take a step or two if the numbers are still longer.
 * - Reduce the highest bits of the rest, until t bits are left.
 *
 * For t = n/2 these are two reductions of n/2 bits each. Their matrices have n/4 bits. They are
 * multiplied by low parts of n/2 and n/4 bits, and by each other.
 *
 * Memory. The numbers are reduced in place. memory_init_scratch allocates all memory as one block
 * before the first step. Let d be the number of limbs by which a reduction of high parts shortens
 * its numbers. It needs 4 d limbs for copies of the high parts. Later it needs 4 (p + d) limbs
 * for products with the low parts, and 8 (2 d) limbs for the product of two matrices. The
 * reductions inside it need 4 (d/2) limbs for a matrix, and the same again for d/2. The sum is
 * less than 4 n + 40 d limbs. SPARE limbs are added because lengths are rounded up. */

#include "lib/algorithms/hgcd.h"

#include "lib/algorithms/divide.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/process/thread_team.h"

/* Numbers of fewer than LEAF limbs are reduced limb by limb.  For longer numbers, that would be
 * slower than reducing them by parts. */
enum { LEAF = 96, LEAST_LEAF = 8, SPARE = 4096 };

/* Threads of a team (lib/process/thread_team.h) are used only to reduce numbers of fewer than TEAM
 * limbs.  Such a reduction takes about 1 ms. */
enum { TEAM = 1280 };

/* What all steps of one call of hgcd_reduce use. The free part of the call's memory is `at` to
 * `end`. */
struct run {
    struct composite *w;
    mp_ptr at, end;
};

/* Two numbers of n limbs.  The highest limb of at least one of them is not 0. */
struct pair {
    mp_ptr x[2];
    size_t n;
};

/* Takes n limbs of the free memory.  Returns NULL if there are too few. */
static mp_ptr take(struct run *c, size_t n) {
    mp_ptr p = c->at;
    if ((size_t)(c->end - p) < n)
        return NULL;
    c->at += n;
    return p;
}

static size_t leaf_limbs(void) {
    size_t mul = atomic_load_explicit(&thresholds.mul, memory_order_relaxed);
    return mul > LEAF / 4 ? LEAF : 4 * mul < LEAST_LEAF ? LEAST_LEAF : 4 * mul;
}

static void shorten(struct pair *l) {
    while (l->n > 0 && (l->x[0][l->n - 1] | l->x[1][l->n - 1]) == 0)
        l->n--;
}

static size_t longer(const struct pair *l) {
    size_t n = l->n;
    return n == 0 ? 0 : n * GMP_NUMB_BITS - (size_t)__builtin_clzl(l->x[0][n - 1] | l->x[1][n - 1]);
}

static size_t shorter(const struct pair *l) {
    return min_u64(normalize_bits(l->x[0], l->n), normalize_bits(l->x[1], l->n));
}

/* ---- matrices */

static void set_unit(struct lehmer_matrix *m) {
    m->n = 1;
    for (int i = 0; i < 4; i++)
        m->e[i / 2][i % 2][0] = i % 3 == 0;
}

static bool is_unit(const struct lehmer_matrix *m) {
    return m->n == 1 && m->e[0][1][0] == 0 && m->e[1][0][0] == 0;
}

/* Returns the number of limbs to reserve for an entry of the matrix that shortens numbers of n
 * limbs to t bits. lehmer_reduce writes one limb more than the entry, which is below 4/3
 * 2^(64 n - t). */
static size_t room_of(size_t n, size_t t) {
    return n - t / GMP_NUMB_BITS + 3;
}

/* Sets *m to the unit matrix, with entries at `at`. */
static void place(struct lehmer_matrix *m, mp_ptr at, size_t room) {
    m->room = room;
    for (int i = 0; i < 4; i++)
        m->e[i / 2][i % 2] = at + (size_t)i * room;
    set_unit(m);
}

void hgcd_init(struct hgcd *h, struct symbol *symbol) {
    mpz_init(h->memory);
    h->m = (struct lehmer_matrix){.symbol = symbol};
}

void hgcd_clear(struct hgcd *h) {
    mpz_clear(h->memory);
}

void hgcd_apply(struct composite *w, const struct hgcd *h, mpz_ptr x, mpz_ptr y) {
    const struct lehmer_matrix *m = &h->m;
    const mpz_srcptr of[4] = {x, y, y, x};
    const mp_srcptr by[4] = {m->e[1][1], m->e[0][1], m->e[0][0], m->e[1][0]};
    struct limbs_factors f[4];
    mpz_ptr to[4];
    mpz_t r[4];
    unsigned count = 0;
    for (int i = 0; i < 4; i++) {
        size_t n = mpz_size(of[i]), mn = normalize(by[i], m->n);
        memory_init_scratch(r[i], n + mn + 1);
        to[count] = r[i];
        if (n > 0 && mn > 0)
            f[count++] = (struct limbs_factors){r[i]->_mp_d, by[i], mn, of[i]->_mp_d, n};
    }
    composite_mul_several(w, f, count);
    for (unsigned i = 0; i < count; i++)
        to[i]->_mp_size = (int)normalize(f[i].rp, f[i].un + f[i].vn);
    for (int i = 0; i < 4; i++)
        r[i]->_mp_size = of[i]->_mp_size < 0 ? -r[i]->_mp_size : r[i]->_mp_size;
    real.mpz_sub(x, r[0], r[1]);
    real.mpz_sub(y, r[2], r[3]);
    for (int i = 0; i < 4; i++)
        mpz_clear(r[i]);
}

/* ---- one division */

/* Computes {x, n} / {y, yn} with a quotient of n - yn + 1 limbs and a remainder of yn limbs. */
static void divide(struct composite *w, mp_ptr q, mp_ptr r, mp_srcptr x, size_t n, mp_srcptr y,
                   size_t yn) {
    if (thresholds_is_small(divide_size(n, yn), &thresholds.div) || yn < 2 ||
        thread_team_width() > 1 || !divide_qr(w, q, r, x, n, y, yn))
        real.mpn_tdiv_qr(q, r, 0, x, (mp_size_t)n, y, (mp_size_t)yn);
}

/* e and y are entries of the matrix m, of m->n limbs; q has qn limbs. Sets {r, m->n + qn + 1} to e
 * + q y. */
static void add_product(struct composite *w, mp_ptr r, const struct lehmer_matrix *m, mp_srcptr e,
                        mp_srcptr q, size_t qn, mp_srcptr y) {
    if (thread_team_width() > 1)
        composite_real_mul(r, q, qn, y, m->n);
    else
        composite_mul(w, r, q, qn, y, m->n);
    r[m->n + qn] = mpn_add(r, r, (mp_size_t)(m->n + qn), e, (mp_size_t)m->n);
}

/* Multiplies m by the matrix of a step: column `to` grows by q times the other column.  Returns
 * false, and changes nothing, if an entry would be too long. */
static bool add_step(struct run *c, struct lehmer_matrix *m, int to, mp_srcptr q, size_t qn) {
    size_t n = m->n + qn + 1;
    mp_ptr r = take(c, 2 * n);
    if (!r)
        return false;
    for (int i = 0; i < 2; i++)
        add_product(c->w, r + (size_t)i * n, m, m->e[i][to], q, qn, m->e[i][!to]);
    size_t most = n;
    while (most > m->n && (r[most - 1] | r[n + most - 1]) == 0)
        most--;
    if (most > m->room)
        return false;
    for (int i = 0; i < 2; i++) {
        mpn_copyi(m->e[i][to], r + (size_t)i * n, (mp_size_t)most);
        mpn_zero(m->e[i][!to] + m->n, (mp_size_t)(most - m->n));
    }
    m->n = most;
    return true;
}

/* Replaces the larger number by its remainder modulo the smaller.  Returns false, and changes
 * nothing, if the remainder would be below 2^t. */
static bool step(struct run *c, struct pair *l, size_t t, struct lehmer_matrix *m) {
    const mp_ptr mark = c->at;
    const int to = mpn_cmp(l->x[0], l->x[1], (mp_size_t)l->n) >= 0; /* column of m that changes */
    const size_t n = l->n, yn = normalize(l->x[to], n);
    bool done = shorter(l) > t;
    mp_ptr q = done ? take(c, 2 * n + 1) : NULL;
    if (!q)
        return false;
    mp_ptr r = q + n - yn + 1;
    divide(c->w, q, r, l->x[!to], n, l->x[to], yn);
    const size_t qn = normalize(q, n - yn + 1);
    done = normalize_bits(r, yn) > t && add_step(c, m, to, q, qn);
    if (done) {
        mpn_copyi(l->x[!to], r, (mp_size_t)yn);
        mpn_zero(l->x[!to] + yn, (mp_size_t)(n - yn));
        shorten(l);
    }
    if (done && m->symbol)
        symbol_step(m->symbol, !to, q[0]);
    c->at = mark;
    return done;
}

/* ---- the recursion */

static void reduce(struct run *c, struct pair *l, size_t t, struct lehmer_matrix *m);
static bool reduce_high(struct run *c, struct pair *l, size_t t, struct lehmer_matrix *m,
                        struct lehmer_matrix *before);

/* Reduces the numbers as `reduce` does, but for numbers of leaf_limbs() limbs or more: first by
 * their high parts, then by single steps, then by their high parts again. */
static void reduce_by_parts(struct run *c, struct pair *l, size_t t, struct lehmer_matrix *m) {
    const mp_ptr mark = c->at;
    const size_t middle = t + (longer(l) - t) / 2, room = room_of(l->n, t);
    struct lehmer_matrix k = {.symbol = m->symbol};
    reduce_high(c, l, middle, m, NULL);
    while (longer(l) > middle + GMP_NUMB_BITS)
        if (!step(c, l, t, m))
            return;
    mp_ptr entries = take(c, 4 * room);
    if (entries) {
        place(&k, entries, room);
        reduce_high(c, l, t, &k, m);
    }
    c->at = mark;
}

struct teams_work {
    struct run *c;
    struct pair *l;
    size_t t;
    struct lehmer_matrix *m;
};

static void reduce_in_team(void *work) {
    const struct teams_work *k = work;
    reduce_by_parts(k->c, k->l, k->t, k->m);
}

/* Returns true if several threads should compute the products of a reduction of n limbs. The
 * longest factor has n/4 limbs. Eight threads are as fast as the device up to its threshold for
 * products, two threads up to 5/8 of this threshold. */
static bool is_for_team(size_t n) {
    const unsigned width = n < TEAM ? thread_team_expect() : 1;
    return width > 1 && thresholds_is_small((n / 4 + 4) * 16 / (8 + width), &thresholds.mul);
}

/* Takes steps that reduce two numbers to about t bits, reading all their bits. m is the unit matrix
 * at the call, and the steps' matrix afterwards. */
static void reduce(struct run *c, struct pair *l, size_t t, struct lehmer_matrix *m) {
    struct teams_work work = {c, l, t, m};
    if (shorter(l) <= t)
        return;
    if (longer(l) < leaf_limbs() * GMP_NUMB_BITS)
        l->n = lehmer_reduce(l->x, l->n, t, m);
    else if (thread_team_width() == 1 && is_for_team(l->n))
        thread_team_run(reduce_in_team, &work);
    else
        reduce_by_parts(c, l, t, m);
}

/* The products that the function `lift` computes. Four products yield, by differences, the low
 * parts multiplied by the inverse of the matrix m. Eight products yield, by sums, the product of
 * two matrices. */
struct lift {
    struct limbs_factors f[LIMBS_SEVERAL];
    unsigned count;
    size_t rn, en; /* limbs of each product at r; limbs of each product at e */
    mp_ptr r, e;   /* four products of matrix entries and numbers; eight products of matrix
                    * entries */
};

static void ask(struct lift *k, mp_ptr r, mp_srcptr u, size_t un, mp_srcptr v, size_t vn) {
    k->f[k->count++] = (struct limbs_factors){r, u, un, v, vn};
}

/* Lists the products that `lift` computes.  Returns false if memory is missing. */
static bool list(struct run *c, struct lift *k, const struct pair *l, size_t p,
                 const struct lehmer_matrix *m, const struct lehmer_matrix *before) {
    static const uint8_t rows[4] = {1, 0, 0, 1}, columns[4] = {1, 1, 0, 0};
    k->count = 0;
    k->rn = p + m->n;
    k->en = before ? before->n + m->n + 1 : 0; /* one limb more, for the carry of a sum */
    k->r = take(c, 4 * k->rn + 8 * k->en);
    k->e = k->r + 4 * k->rn;
    for (size_t i = 0; i < 4 && k->r && p > 0; i++)
        ask(k, k->r + i * k->rn, m->e[rows[i]][columns[i]], m->n, l->x[i == 1 || i == 2], p);
    for (size_t i = 0; i < 8 && k->r && before; i++)
        ask(k, k->e + i * k->en, before->e[i / 4][i % 2], before->n, m->e[i % 2][i / 2 % 2], m->n);
    return k->r != NULL;
}

/* Adds u - v to the number x of n limbs, as if x had p zero limbs below. u and v have p + mn limbs.
 * Writes the low p limbs of the sum to u, the others to x. Returns false if the sum is not above 0
 * or has more than n limbs: a product is wrong then. */
static bool add_difference(mp_ptr x, size_t n, size_t p, mp_ptr u, mp_srcptr v, size_t mn) {
    if (p + mn > n)
        return false;
    mp_limb_t borrow = mpn_sub_n(u, u, v, (mp_size_t)(p + mn));
    mp_limb_t carry = mpn_add(x + p, x + p, (mp_size_t)(n - p), u + p, (mp_size_t)mn);
    if (n > p + mn)
        borrow = mpn_sub_1(x + p + mn, x + p + mn, (mp_size_t)(n - p - mn), borrow);
    return carry == borrow && normalize(x + p, n - p) > 0;
}

/* Sums the products of entries to the matrix product of *before and m, and stores it in *before.
 * Returns false, and changes nothing, if an entry would be too long. */
static bool set_product(struct lift *k, struct lehmer_matrix *before) {
    size_t n = k->en;
    for (size_t i = 0; i < 4; i++) {
        mp_ptr u = k->e + 2 * i * k->en, v = u + k->en;
        u[k->en - 1] = mpn_add_n(u, u, v, (mp_size_t)(k->en - 1));
    }
    while (n > 1 && (k->e[n - 1] | k->e[2 * k->en + n - 1] | k->e[4 * k->en + n - 1] |
                     k->e[6 * k->en + n - 1]) == 0)
        n--;
    for (size_t i = 0; i < 4 && n <= before->room; i++)
        mpn_copyi(before->e[i / 2][i % 2], k->e + 2 * i * k->en, (mp_size_t)n);
    before->n = n <= before->room ? n : before->n;
    return n <= before->room;
}

/* Multiplies the vector of the two numbers *l by m^-1. The limbs from limb p on have been
 * multiplied before; this function multiplies the lowest p limbs, and adds what they contribute to
 * the limbs above. If `before` is not NULL, also multiplies *before by m.
 *
 * Returns false if memory is missing or a result is not plausible, since a wrong product could
 * cause an endless loop. *before and the lowest p limbs are then unchanged. */
static bool lift(struct run *c, struct pair *l, size_t p, const struct lehmer_matrix *m,
                 struct lehmer_matrix *before) {
    struct lift k;
    if (!list(c, &k, l, p, m, before))
        return false;
    composite_mul_several(c->w, k.f, k.count);
    for (size_t i = 0; i < 2 && p > 0; i++)
        if (!add_difference(l->x[i], l->n, p, k.r + 2 * i * k.rn, k.r + (2 * i + 1) * k.rn, m->n))
            return false;
    if (before && !set_product(&k, before))
        return false;
    for (size_t i = 0; i < 2 && p > 0; i++)
        mpn_copyi(l->x[i], k.r + 2 * i * k.rn, (mp_size_t)p);
    return true;
}

/* Reduces the limbs from limb p on to t bits in place, and multiplies the low limbs by the same
 * matrix. Returns false, with all limbs restored, if no step is possible or the multiplication
 * fails. */
static bool reduce_above(struct run *c, struct pair *l, size_t p, size_t t, struct lehmer_matrix *m,
                         struct lehmer_matrix *before) {
    struct pair high = {{l->x[0] + p, l->x[1] + p}, l->n - p};
    const size_t n = high.n;
    mp_ptr copy = take(c, 2 * n);
    if (!copy)
        return false;
    for (size_t i = 0; i < 2; i++)
        mpn_copyi(copy + i * n, high.x[i], (mp_size_t)n);
    reduce(c, &high, t, m);
    bool done = !is_unit(m) && lift(c, l, p, m, before);
    for (size_t i = 0; i < 2 && !done; i++)
        mpn_copyi(l->x[i] + p, copy + i * n, (mp_size_t)n);
    return done;
}

/* Reduces the numbers like hgcd_reduce. m must be the unit matrix at the call.  If `before` is not
 * NULL, also multiplies *before by m. */
static bool reduce_high(struct run *c, struct pair *l, size_t t, struct lehmer_matrix *m,
                        struct lehmer_matrix *before) {
    const mp_ptr mark = c->at;
    size_t n = longer(l);
    if (shorter(l) <= t + 1)
        return false;
    size_t p = 2 * t > n + 2 ? (2 * t - n - 2) / GMP_NUMB_BITS : 0;
    struct symbol symbol = m->symbol ? *m->symbol : (struct symbol){0};
    bool done = reduce_above(c, l, p, t - p * GMP_NUMB_BITS + 1, m, before);
    if (done)
        shorten(l);
    else
        set_unit(m);
    if (!done && m->symbol)
        *m->symbol = symbol;
    c->at = mark;
    return done;
}

static void from_mpz(mp_ptr xp, mpz_srcptr x, size_t n) {
    size_t xn = mpz_size(x);
    mpn_copyi(xp, x->_mp_d, (mp_size_t)xn);
    mpn_zero(xp + xn, (mp_size_t)(n - xn));
}

/* Copies {xp, n} to x. x has room, since steps never lengthen a number. */
static void to_mpz(mpz_ptr x, mp_srcptr xp, size_t n) {
    n = normalize(xp, n);
    mpn_copyi(x->_mp_d, xp, (mp_size_t)n);
    x->_mp_size = (int)n;
}

bool hgcd_reduce(struct composite *w, mpz_ptr a, mpz_ptr b, size_t t, struct hgcd *h) {
    const size_t an = mpz_size(a), bn = mpz_size(b), n = an < bn ? bn : an, room = room_of(n, t),
                 all = 2 * n + 4 * room + 4 * n + 40 * room + SPARE;
    memory_init_scratch(h->memory, all);
    mp_ptr x = h->memory->_mp_d;
    struct run c = {w, x + 2 * n + 4 * room, x + all};
    struct pair l = {{x, x + n}, n};
    from_mpz(x, a, n);
    from_mpz(x + n, b, n);
    place(&h->m, x + 2 * n, room);
    bool done = reduce_high(&c, &l, t, &h->m, NULL);
    if (done) {
        to_mpz(a, l.x[0], l.n);
        to_mpz(b, l.x[1], l.n);
    }
    return done;
}
