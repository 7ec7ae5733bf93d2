/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Intercepts FLINT's products of polynomials over Z and over Z/n, which FLINT's other functions for
 * polynomials call. The library collects the coefficients in one array, and the device packs them
 * into long integers (lib/job/recipe_poly.c). FLINT's own packing takes longer than the product on
 * a device. */
#include <stdlib.h>
#include <string.h>

#include "compat/flint/flint_real.h"
#include "compat/intercept/call.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/gmp/normalize.h"
#include "lib/job/job.h"
#include "lib/memory/pool.h"
#include "lib/memory/wipe.h"
#include "lib/modular/modular.h"
#include "lib/process/thread_pool.h"

/* The minimum number of coefficients for the device. FLINT multiplies shorter polynomials by
 * products of long integers, which are intercepted (flint_mul.c). */
enum { LEAST_LENGTH = 32 };

/* ---- FLINT's integers: a word of 62 bits and its sign, or the address of an mpz_t */

static bool is_long(flint_integer x) {
    return (uint64_t)x >> 62 == 1;
}

static mpz_ptr mpz_of(flint_integer x) {
    return (mpz_ptr)(uintptr_t)((uint64_t)x << 2);
}

static uint64_t bits_of(flint_integer x) {
    if (is_long(x)) {
        const size_t n = mpz_size(mpz_of(x));
        return normalize_bits(mpz_limbs_read(mpz_of(x)), n);
    }
    const uint64_t magnitude = x < 0 ? -(uint64_t)x : (uint64_t)x;
    return magnitude ? 64 - (uint64_t)__builtin_clzll(magnitude) : 0;
}

/* ---- memory for coefficients: in the pool, which devices can copy directly, or from malloc */

static mp_limb_t *limbs_alloc(uint64_t count, uint64_t n) {
    if (n == 0 || count > JOB_MOST_LIMBS / n)
        return NULL;
    mp_limb_t *p = pool_alloc(count * n * sizeof *p);
    return p ? p : malloc(count * n * sizeof *p);
}

static void limbs_free(mp_limb_t *p, uint64_t limbs) {
    if (pool_owns(p))
        pool_free(p);
    else
        wipe_free(p, p ? limbs * sizeof *p : 0);
}

/* ---- polynomials over Z */

struct polynomial {
    const flint_integer *c;
    size_t length;
    uint64_t bits; /* bit length of the longest coefficient, without its sign */
    size_t n;      /* limbs of a coefficient in two's complement */
    mp_limb_t *limbs;
    bool has_residues;      /* true if every coefficient must be from 0 to 2^bits - 1 */
    _Atomic bool has_other; /* set if a coefficient is outside 0 to 2^bits - 1 */
};

struct widest {
    const flint_integer *c;
    _Atomic uint64_t bits;
};

static void find_widest(void *context, size_t first, size_t end) {
    struct widest *w = context;
    uint64_t most = 0, small = 0; /* small: the OR of the magnitudes of one-word integers */
    for (size_t i = first; i < end; i++) {
        const flint_integer x = w->c[i];
        const uint64_t bits = is_long(x) ? bits_of(x) : 0;
        most = bits > most ? bits : most;
        small |= is_long(x) ? 0 : x < 0 ? -(uint64_t)x : (uint64_t)x;
    }
    const uint64_t bits_of_small = bits_of((flint_integer)small);
    most = bits_of_small > most ? bits_of_small : most;
    uint64_t old = atomic_load(&w->bits);
    while (old < most && !atomic_compare_exchange_weak(&w->bits, &old, most))
        continue;
}

static void look(struct polynomial *p, const flint_integer *c, size_t length) {
    struct widest w = {.c = c};
    /* Reading a coefficient that is an mpz_t costs about as much as reading 64 bytes. */
    thread_pool_loop(length, 64 * length, find_widest, &w);
    const uint64_t bits = w.bits ? w.bits : 1;
    *p = (struct polynomial){.c = c, .length = length, .bits = bits, .n = bits / 64 + 1};
}

static bool is_negative(flint_integer x) {
    return is_long(x) ? mpz_sgn(mpz_of(x)) < 0 : x < 0;
}

static void gather_some(void *context, size_t first, size_t end) {
    struct polynomial *p = context;
    for (size_t i = first; i < end; i++) {
        mp_limb_t *to = p->limbs + i * p->n;
        const flint_integer x = p->c[i];
        if (p->has_residues && (is_negative(x) || bits_of(x) > p->bits)) {
            p->has_other = true;
            return;
        }
        if (!is_long(x)) {
            to[0] = (mp_limb_t)x;
            memset(to + 1, x < 0 ? -1 : 0, (p->n - 1) * sizeof *to);
            continue;
        }
        const size_t size = mpz_size(mpz_of(x));
        memcpy(to, mpz_limbs_read(mpz_of(x)), size * sizeof *to);
        memset(to + size, 0, (p->n - size) * sizeof *to);
        if (is_negative(x))
            mpn_neg(to, to, (mp_size_t)p->n);
    }
}

/* Copies the coefficients to p->limbs, in two's complement. Returns false if memory is missing. */
static bool gather(struct polynomial *p) {
    p->limbs = limbs_alloc(p->length, p->n);
    if (p->limbs)
        thread_pool_loop(p->length, p->length * p->n * sizeof *p->limbs, gather_some, p);
    return p->limbs;
}

/* The arguments of scatter, which converts the product's coefficients to FLINT's integers `r`. The
 * coefficients are in `limbs`, n limbs each, in two's complement. */
struct scattering {
    const struct flint_real *f;
    flint_integer *r;
    mp_limb_t *limbs;
    size_t n;
};

static size_t size_of(const mp_limb_t *x, size_t n) {
    const mp_limb_t fill = (mp_limb_t)((mp_limb_signed_t)x[n - 1] >> 63);
    while (n > 1 && x[n - 1] == fill && (mp_limb_signed_t)(x[n - 2] ^ fill) >= 0)
        n--;
    return n;
}

static void scatter_some(void *context, size_t first, size_t end) {
    const struct scattering *s = context;
    for (size_t i = first; i < end; i++) {
        mp_limb_t *from = s->limbs + i * s->n;
        const size_t n = size_of(from, s->n);
        if (n <= 2)
            continue;
        const bool is_below_0 = (mp_limb_signed_t)from[n - 1] < 0;
        mpz_ptr x = mpz_of(s->r[i]);
        if (is_below_0)
            mpn_neg(x->_mp_d, from, (mp_size_t)n);
        else
            memcpy(x->_mp_d, from, n * sizeof *from);
        const int size = (int)normalize(x->_mp_d, n);
        x->_mp_size = is_below_0 ? -size : size;
    }
}

/* Sets r[0] to r[length - 1]. FLINT allocates the limbs, in the calling thread; several threads
 * copy numbers of more than two limbs. */
static void scatter(struct scattering *s, size_t length) {
    const struct flint_real *f = s->f;
    for (size_t i = 0; i < length; i++) {
        const size_t n = size_of(s->limbs + i * s->n, s->n);
        if (n <= 2)
            f->fmpz_set_signed_ui_array(&s->r[i], s->limbs + i * s->n, (long)n);
        else if (!is_long(s->r[i]) || (size_t)mpz_of(s->r[i])->_mp_alloc < n) {
            if (is_long(s->r[i])) /* releases the mpz_t */
                f->fmpz_set_signed_ui_array(&s->r[i], (const mp_limb_t[]){0}, 1);
            f->fmpz_init2(&s->r[i], n);
        }
    }
    thread_pool_loop(length, length * s->n * sizeof *s->limbs, scatter_some, s);
}

/* Returns an upper bound of the bit length of a sum of `terms` products of two factors, of bits_u
 * and bits_v bits. */
static uint64_t bits_of_sum(uint64_t bits_u, uint64_t bits_v, size_t terms) {
    return bits_u + bits_v + 64 - (uint64_t)__builtin_clzll(terms);
}

static enum outcome run_integers(const struct flint_real *f, struct job *job, struct polynomial *u,
                                 struct polynomial *v, flint_integer *r) {
    const size_t length = u->length + v->length - 1, n = (size_t)job->r[0].n;
    struct scattering s = {f, r, limbs_alloc(length, n), n};
    if (!s.limbs)
        return OUTCOME_MEMORY;
    job->u[0].host = u->limbs;
    job->u[1].host = v->limbs;
    job->r[0].host = s.limbs;
    enum outcome outcome = job_run(job);
    if (outcome == OUTCOME_DONE)
        scatter(&s, length);
    limbs_free(s.limbs, length * n);
    return outcome;
}

/* Sets r to u v on the device. v may be u. */
static enum outcome multiply_integers(const struct flint_real *f, flint_integer *r,
                                      struct polynomial *u, struct polynomial *v) {
    const uint64_t slot = ceil_div(bits_of_sum(u->bits, v->bits, v->length) + 1, 32);
    if (!job_composites_run())
        return OUTCOME_SIZE;
    if (!gather(u) || (v != u && !gather(v))) {
        limbs_free(u->limbs, u->length * u->n);
        return OUTCOME_MEMORY;
    }
    struct job job = {.op = JOB_poly_mul,
                      .operands = 2,
                      .results = 1,
                      .parameter = {[JOB_POLYS] = 1, [JOB_SLOT] = slot, [JOB_IS_SIGNED] = 1},
                      .u = {{.count = u->length, .n = u->n}, {.count = v->length, .n = v->n}},
                      .r = {{.count = u->length + v->length - 1, .n = ceil_div(slot, 2)}}};
    enum outcome outcome = run_integers(f, &job, u, v, r);
    limbs_free(u->limbs, u->length * u->n);
    if (v != u)
        limbs_free(v->limbs, v->length * v->n);
    return outcome;
}

/* Returns the size in limbs of a number into which `length` coefficients of a product are
 * packed. */
static size_t packed_limbs(size_t length, uint64_t bits) {
    return bits > SIZE_MAX / length ? SIZE_MAX : length * bits / 64;
}

LARGE void integers_mul_large(const struct flint_real *f, flint_integer *r, const flint_integer *c,
                              long un, const flint_integer *d, long vn) {
    struct polynomial u, v;
    look(&u, c, (size_t)un);
    look(&v, d, (size_t)vn);
    const bool is_square = c == d && un == vn;
    const uint64_t bits = bits_of_sum(u.bits, v.bits, v.length);
    const size_t n = packed_limbs(v.length, bits), m = packed_limbs(u.length, bits);
    CALL_FLINT(ROW_flint_poly_mul, n, is_square ? &thresholds.sqr : &thresholds.mul, n + m,
               multiply_integers(f, r, &u, is_square ? &u : &v),
               f->_fmpz_poly_mul(r, c, un, d, vn));
}

LARGE void integers_sqr_large(const struct flint_real *f, flint_integer *r, const flint_integer *c,
                              long un) {
    struct polynomial u;
    look(&u, c, (size_t)un);
    const size_t n = packed_limbs(u.length, bits_of_sum(u.bits, u.bits, u.length));
    CALL_FLINT(ROW_flint_poly_mul, n, &thresholds.sqr, n, multiply_integers(f, r, &u, &u),
               f->_fmpz_poly_sqr(r, c, un));
}

/* Returns true if a polynomial of this length is too short for the device, if there is no device,
 * or if the version of FLINT is unsupported. */
static inline bool is_short(const struct flint_real *f, long length) {
    return length < LEAST_LENGTH || thresholds_is_small(MPGPU_NEVER - 1, &thresholds.product) ||
           !f->has_polynomials;
}

flint_integers_mul_function _fmpz_poly_mul;
EXPORT void _fmpz_poly_mul(flint_integer *r, const flint_integer *u, long un,
                           const flint_integer *v, long vn) {
    const struct flint_real *f = FLINT_OF_CALLER();
    INTERCEPT(is_short(f, vn), f->_fmpz_poly_mul(r, u, un, v, vn),
              integers_mul_large(f, r, u, un, v, vn));
}

flint_integers_sqr_function _fmpz_poly_sqr;
EXPORT void _fmpz_poly_sqr(flint_integer *r, const flint_integer *u, long un) {
    const struct flint_real *f = FLINT_OF_CALLER();
    INTERCEPT(is_short(f, un), f->_fmpz_poly_sqr(r, u, un), integers_sqr_large(f, r, u, un));
}

/* ---- polynomials over Z/n, n of one limb; coefficients are less than n */

static enum outcome multiply_limbs(mp_limb_t *r, const mp_limb_t *u, size_t un, const mp_limb_t *v,
                                   size_t vn, uint64_t bits, mp_limb_t modulus) {
    struct job job = {
        .op = JOB_poly_mul,
        .operands = 2,
        .results = 1,
        .parameter = {[JOB_POLYS] = 1, [JOB_SLOT] = ceil_div(bits, 32), [JOB_POLY_LIMB] = modulus},
        .u = {{.host = (uint64_t *)u, .count = un, .n = 1},
              {.host = (uint64_t *)v, .count = vn, .n = 1}},
        .r = {{.host = r, .count = un + vn - 1, .n = 1}}};
    return job_composites_run() ? job_run(&job) : OUTCOME_SIZE;
}

LARGE void limbs_mul_large(const struct flint_real *f, mp_limb_t *r, const mp_limb_t *u, long un,
                           const mp_limb_t *v, long vn, struct flint_modulus m) {
    const uint64_t width = 64 - (uint64_t)__builtin_clzll(m.n);
    const uint64_t bits = bits_of_sum(width, width, (size_t)vn);
    const size_t n = packed_limbs((size_t)vn, bits), k = packed_limbs((size_t)un, bits);
    CALL_FLINT(ROW_flint_poly_mul, n, u == v && un == vn ? &thresholds.sqr : &thresholds.mul, n + k,
               multiply_limbs(r, u, (size_t)un, v, (size_t)vn, bits, m.n),
               f->_nmod_poly_mul(r, u, un, v, vn, m));
}

flint_limbs_mul_function _nmod_poly_mul;
EXPORT void _nmod_poly_mul(mp_limb_t *r, const mp_limb_t *u, long un, const mp_limb_t *v, long vn,
                           struct flint_modulus m) {
    const struct flint_real *f = FLINT_OF_CALLER();
    INTERCEPT(is_short(f, vn) || m.n == 0, f->_nmod_poly_mul(r, u, un, v, vn, m),
              limbs_mul_large(f, r, u, un, v, vn, m));
}

/* ---- polynomials over Z/n, n of any length. FLINT itself computes products with coefficients that
 * are negative or have more bits than n. Its Hensel lifting passes such coefficients. */

/* A modulus of k limbs; coefficients of products have at most 2 k limbs. `known` has the constants
 * for batch_mod. If n fits in one of FLINT's one-word integers, `limb` is n, and k is 1. */
struct modulus {
    mp_limb_t limb, *m, *known;
    uint64_t bits, k, known_n, method;
};

/* A sum of products of two residues has at most this many bits more than two factors together. */
enum { SPARE_BITS = 40 };

static bool look_at_modulus(struct modulus *m, flint_integer n) {
    *m = (struct modulus){.bits = bits_of(n), .k = 1, .limb = is_long(n) ? 0 : (mp_limb_t)n};
    if (m->limb)
        return true;
    m->k = ceil_div(2 * m->bits + SPARE_BITS, 128);
    const bool is_even = mpz_limbs_read(mpz_of(n))[0] % 2 == 0;
    m->method = is_even || 2 * m->k > MODULAR_MOST_WORDS ? JOB_BY_BARRETT : 0;
    m->known_n = job_known_limbs(m->k, m->method);
    m->m = malloc((m->k + m->known_n) * sizeof *m->m);
    if (m->m) {
        m->known = m->m + m->k;
        normalize_pad(m->m, m->k, mpz_of(n));
    }
    return m->m;
}

/* Computes the constants of the modulus on the device. */
static enum outcome know(const struct modulus *m) {
    uint64_t kind;
    struct job job = {.op = JOB_batch_mod_known,
                      .operands = 1,
                      .results = 2,
                      .parameter = {[JOB_METHOD] = m->method},
                      .u = {job_limbs(m->m, m->k)},
                      .r = {job_limbs(m->known, m->known_n), [JOB_KINDS] = job_limbs(&kind, 1)}};
    return job_run(&job);
}

/* Sets r to the remainders, of k limbs, of `count` numbers of 2 k limbs at u. */
static enum outcome reduce(mp_limb_t *r, const mp_limb_t *u, uint64_t count,
                           const struct modulus *m) {
    const struct job_ref from = {.host = (uint64_t *)u, .count = count, .n = 2 * m->k};
    struct job job = {.op = JOB_batch_mod,
                      .operands = JOB_KNOWN + 1,
                      .results = 1,
                      .parameter = {[JOB_METHOD] = m->method},
                      .u = {from, from, [JOB_MODULUS] = job_limbs(m->m, m->k),
                            [JOB_KNOWN] = job_limbs(m->known, m->known_n)},
                      .r = {{.host = r, .count = count, .n = m->k}}};
    enum outcome outcome = know(m);
    return outcome == OUTCOME_DONE ? job_run(&job) : outcome;
}

/* Sets r to the product of the gathered polynomials: `length` coefficients of k limbs. */
static enum outcome multiply_gathered(mp_limb_t *r, const struct polynomial *u,
                                      const struct polynomial *v, const struct modulus *m) {
    const uint64_t length = u->length + v->length - 1, n = m->limb ? 1 : 2 * m->k;
    mp_limb_t *w = m->limb ? r : limbs_alloc(length, n);
    struct job job = {
        .op = JOB_poly_mul,
        .operands = 2,
        .results = 1,
        .parameter = {[JOB_POLYS] = 1,
                      [JOB_SLOT] = ceil_div(bits_of_sum(m->bits, m->bits, v->length), 32),
                      [JOB_POLY_LIMB] = m->limb},
        .u = {{.host = u->limbs, .count = u->length, .n = m->k},
              {.host = v->limbs, .count = v->length, .n = m->k}},
        .r = {{.host = w, .count = length, .n = n}}};
    enum outcome outcome = w ? job_run(&job) : OUTCOME_MEMORY;
    if (outcome == OUTCOME_DONE && !m->limb)
        outcome = reduce(r, w, length, m);
    if (!m->limb)
        limbs_free(w, length * n);
    return outcome;
}

/* Sets r to u v modulo n on the device. v may be u. */
static enum outcome multiply_residues(const struct flint_real *f, flint_integer *r,
                                      struct polynomial *u, struct polynomial *v, flint_integer n) {
    const uint64_t length = u->length + v->length - 1;
    struct modulus m = {.m = NULL};
    enum outcome outcome = job_composites_run() ? OUTCOME_MEMORY : OUTCOME_SIZE;
    if (outcome == OUTCOME_SIZE || !look_at_modulus(&m, n))
        return outcome;
    u->n = v->n = m.k;
    u->bits = v->bits = m.bits;
    u->has_residues = v->has_residues = true;
    struct scattering s = {f, r, limbs_alloc(length, m.k), m.k};
    if (s.limbs && gather(u) && (v == u || gather(v)))
        outcome =
            u->has_other || v->has_other ? OUTCOME_SIZE : multiply_gathered(s.limbs, u, v, &m);
    if (outcome == OUTCOME_DONE)
        scatter(&s, length);
    limbs_free(s.limbs, length * m.k);
    limbs_free(u->limbs, u->length * m.k);
    if (v != u)
        limbs_free(v->limbs, v->length * m.k);
    wipe_free(m.m, m.m ? (m.k + m.known_n) * sizeof *m.m : 0);
    return outcome;
}

LARGE void residues_mul_large(const struct flint_real *f, flint_integer *r, const flint_integer *c,
                              long un, const flint_integer *d, long vn, const flint_integer *n) {
    struct polynomial u = {.c = c, .length = (size_t)un}, v = {.c = d, .length = (size_t)vn};
    const bool is_square = c == d && un == vn;
    const uint64_t bits = bits_of_sum(bits_of(*n), bits_of(*n), v.length);
    const size_t k = packed_limbs(v.length, bits), all = k + packed_limbs(u.length, bits);
    CALL_FLINT(ROW_flint_poly_mul, k, is_square ? &thresholds.sqr : &thresholds.mul, all,
               multiply_residues(f, r, &u, is_square ? &u : &v, *n),
               f->_fmpz_mod_poly_mul(r, c, un, d, vn, n));
}

flint_residues_mul_function _fmpz_mod_poly_mul;
EXPORT void _fmpz_mod_poly_mul(flint_integer *r, const flint_integer *u, long un,
                               const flint_integer *v, long vn, const flint_integer *n) {
    const struct flint_real *f = FLINT_OF_CALLER();
    INTERCEPT(is_short(f, vn), f->_fmpz_mod_poly_mul(r, u, un, v, vn, n),
              residues_mul_large(f, r, u, un, v, vn, n));
}
