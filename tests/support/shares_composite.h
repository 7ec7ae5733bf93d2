/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Composite operations by two devices (tests/support/shares.h), beside GMP's. */
#ifndef MPGPU_TEST_SHARES_COMPOSITE_H
#define MPGPU_TEST_SHARES_COMPOSITE_H

#include "lib/algorithms/divide.h"
#include "lib/algorithms/powm.h"
#include "lib/algorithms/root.h"
#include "tests/support/shares.h"

/* GMP's own functions serve for comparison: no product goes to the devices by itself. */
static inline void composite_begin(const struct shares_devices *d, const char *conf) {
    char all[128];
    snprintf(all, sizeof all, "mul:never,sqr:never,mulmod:never,add:never,%s", conf);
    shares_begin(d, all);
}

enum shared_composite { QUOTIENT, POWER_MODULO, SQUARE_ROOT, CUBE_ROOT, COMPOSITES };
static const char *const composite_names[] = {"quotient", "power", "square root", "cube root"};

/* The operands {a, n}, {b, m}, b's top limb not 0, and an exponent of two limbs; results, limbs
 * round them that are to stay, and what is right. */
struct composite_case {
    enum shared_composite which;
    size_t n, m, qn, rn; /* of results, too: no limbs where there is none */
    mp_limb_t *a, *b, *before, *q, *r, *right_q, *right_r, exponent[2];
    uint64_t calls[2], copies[2];
};

static inline mp_limb_t *composite_limbs(size_t n) {
    mp_limb_t *p = malloc((n + 2 * SHARES_GUARD) * sizeof *p);
    memset(p, 0x5a, (n + 2 * SHARES_GUARD) * sizeof *p);
    return p + SHARES_GUARD;
}

static inline void composite_free(struct composite_case *c) {
    mp_limb_t *const all[] = {c->a, c->b, c->before, c->q, c->r, c->right_q, c->right_r};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i] - SHARES_GUARD);
}

static inline struct root composite_root(const struct composite_case *c) {
    return (struct root){
        .sp = c->q, .rp = c->r, .np = c->a, .nn = c->n, .k = c->which == SQUARE_ROOT ? 2 : 3};
}

static inline struct composite_case composite_case(enum shared_composite which, size_t n,
                                                   size_t m) {
    struct composite_case c = {.which = which, .n = n, .m = m};
    c.a = composite_limbs(n);
    c.b = composite_limbs(m);
    testing_limbs(c.a, n);
    testing_limbs(c.b, m);
    c.a[n - 1] |= 1;
    c.b[m - 1] |= 1;
    c.exponent[0] = 0xb6d1;
    c.before = composite_limbs(n + m);
    c.q = composite_limbs(n);
    c.r = composite_limbs(n + m);
    c.right_q = composite_limbs(n);
    c.right_r = composite_limbs(n + m);
    return c;
}

/* Random operands: no carry goes far, or one device would do the operation once more alone. */
static inline void composite_fill(struct composite_case *c) {
    for (size_t i = 0; i < c->n; i++)
        c->a[i] = gmp_urandomb_ui(*testing_random(), 64);
    for (size_t i = 0; i < c->m; i++)
        c->b[i] = gmp_urandomb_ui(*testing_random(), 64);
    c->a[c->n - 1] |= 1;
    c->b[c->m - 1] |= 1;
}

/* The limbs of results, by the operands. */
static inline void composite_measure(struct composite_case *c) {
    struct root root = composite_root(c);
    bool roots = c->which == SQUARE_ROOT || c->which == CUBE_ROOT;
    c->qn = c->which == QUOTIENT ? c->n - c->m + 1 : roots ? root_limbs(&root) : 0;
    c->rn = roots ? root_rest_limbs(&root) : c->m;
}

static inline void composite_put(mp_limb_t *p, size_t n, const mpz_t x) {
    ck_assert_uint_le(mpz_size(x), n);
    memset(p, 0, n * sizeof *p);
    memcpy(p, mpz_limbs_read(x), mpz_size(x) * sizeof *p);
}

static inline size_t composite_size(const mp_limb_t *p, size_t n) {
    while (n > 0 && p[n - 1] == 0)
        n--;
    return n;
}

/* By GMP. */
static inline void composite_expect(struct composite_case *c) {
    mpz_t q, r, a = MPZ_ROINIT_N(c->a, (mp_size_t)composite_size(c->a, c->n)),
                e = MPZ_ROINIT_N(c->exponent, (mp_size_t)composite_size(c->exponent, 2)),
                b = MPZ_ROINIT_N(c->b, (mp_size_t)c->m);
    mpz_inits(q, r, NULL);
    composite_measure(c);
    if (c->which == QUOTIENT)
        real.mpz_tdiv_qr(q, r, a, b);
    else if (c->which == POWER_MODULO)
        real.mpz_powm(r, a, e, b);
    else if (c->which == SQUARE_ROOT)
        real.mpz_sqrtrem(q, r, a);
    else
        real.mpz_rootrem(q, r, a, 3);
    composite_put(c->right_q, c->qn, q);
    composite_put(c->right_r, c->rn, r);
    mpz_clears(q, r, NULL);
}

static inline enum outcome composite_operate(const struct composite_case *c) {
    const struct division d = {
        .qp = c->q, .rp = c->r, .np = c->a, .dp = c->b, .nn = c->n, .dn = c->m};
    const struct powm p = {.rp = c->r,
                           .bp = c->a,
                           .ep = c->exponent,
                           .mp = c->b,
                           .bn = c->n,
                           .en = composite_size(c->exponent, 2),
                           .mn = c->m};
    const struct root root = composite_root(c);
    struct composite w = {0};
    if (c->which == QUOTIENT) /* and not for GMP's own divisions */
        thresholds.div = 1;
    bool done = c->which == QUOTIENT       ? divide_limbs(&w, &d)
                : c->which == POWER_MODULO ? powm_limbs(&w, &p)
                                           : root_of_limbs(&w, &root);
    ck_assert(done);
    thresholds.div = SIZE_MAX;
    return w.sent ? OUTCOME_DONE : w.failed ? w.failed : OUTCOME_NONE;
}

/* By the devices. */
static inline enum outcome composite_run(struct composite_case *c) {
    memset(c->q, 0x33, c->qn * sizeof *c->q);
    memset(c->r, 0x33, c->rn * sizeof *c->r);
    memcpy(c->before, c->a, c->n * sizeof *c->a);
    memcpy(c->before + c->n, c->b, c->m * sizeof *c->b);
    for (unsigned i = 0; i < 2; i++) {
        c->calls[i] = shares_calls(i);
        c->copies[i] = (uint64_t)atomic_load(&twins[i].peer_copies);
    }
    return composite_operate(c);
}

static inline void composite_check_one(const char *what, const mp_limb_t *p, const mp_limb_t *right,
                                       size_t n) {
    size_t wrong = 0;
    mp_limb_t guard[SHARES_GUARD];
    memset(guard, 0x5a, sizeof guard);
    while (wrong < n && p[wrong] == right[wrong])
        wrong++;
    ck_assert_msg(wrong == n, "%s: limb %zu of %zu", what, wrong, n);
    ck_assert_msg(memcmp(p + n, guard, sizeof guard) == 0 &&
                      memcmp(p - SHARES_GUARD, guard, sizeof guard) == 0,
                  "%s: beyond the result", what);
}

/* That results are right, and nothing else has changed. */
static inline void composite_check(const struct composite_case *c, const char *what) {
    char text[160];
    snprintf(text, sizeof text, "%s, %zu by %zu limbs, %s", composite_names[c->which], c->n, c->m,
             what);
    composite_check_one(text, c->q, c->right_q, c->qn);
    composite_check_one(text, c->r, c->right_r, c->rn);
    ck_assert_msg(memcmp(c->before, c->a, c->n * sizeof *c->a) == 0 &&
                      memcmp(c->before + c->n, c->b, c->m * sizeof *c->b) == 0,
                  "%s: an operand", text);
    for (int i = 0; i < 2; i++)
        ck_assert_msg(twins[i].strays == 0, "%s: another device's memory", text);
}

/* Whether both devices were at work, and have copied halves from one another. */
static inline bool composite_was_shared(const struct composite_case *c) {
    bool is_shared = true;
    for (unsigned i = 0; i < 2; i++)
        is_shared = is_shared && shares_calls(i) > c->calls[i] &&
                    (uint64_t)atomic_load(&twins[i].peer_copies) > c->copies[i];
    return is_shared;
}

#endif
