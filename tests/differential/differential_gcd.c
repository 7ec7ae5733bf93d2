/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Greatest common divisors: of numbers with and without common factors, of multiples, of
 * neighbours, of such with long runs of quotients 1 or with long quotients; in every place. */
#include "tests/differential/differential.h"

/* Fibonacci numbers of so many limbs have products that a device could do. */
enum { LEAST = 24 };

/* x = q x + y, y = x */
static void grow(const struct reference *gmp, mpz_ptr x, mpz_ptr y, mpz_srcptr q) {
    gmp->mpz_addmul(y, x, q);
    mpz_swap(x, y);
}

/* Numbers whose quotients are of any length, most of them of a bit or two. */
static void make_chain(struct run *run, mpz_ptr u, mpz_ptr v, size_t limbs) {
    const struct reference *gmp = run->reference;
    mpz_t q, x, y;
    gmp->mpz_init_(q);
    gmp->mpz_init_(x);
    gmp->mpz_init_(y);
    gmp->mpz_add_ui(x, x, 1);
    size_t rare = 1 + run_below(run, 200);
    while (mpz_size(x) < limbs) {
        gmp->mpz_sub(q, q, q);
        gmp->mpz_add_ui(q, q, 1 + run_below(run, 3));
        if (run_below(run, rare) == 0) {
            run_mpz(run, u, 1 + run_below(run, 4));
            gmp->mpz_set_(q, u);
            q->_mp_size = (int)mpz_size(q);
        }
        grow(gmp, x, y, q);
    }
    mpz_set(u, x);
    mpz_set(v, y);
    gmp->mpz_clear_(q);
    gmp->mpz_clear_(x);
    gmp->mpz_clear_(y);
}

/* Both times the same. */
static void multiply(struct run *run, mpz_ptr u, mpz_ptr v, size_t limbs) {
    const struct reference *gmp = run->reference;
    mpz_t f, x;
    mpz_init(f);
    gmp->mpz_init_(x);
    run_mpz(run, f, limbs);
    gmp->mpz_mul(x, u, f);
    mpz_set(u, x);
    gmp->mpz_mul(x, v, f);
    mpz_set(v, x);
    mpz_clear(f);
    gmp->mpz_clear_(x);
}

/* x = y + n or y - n. */
static void set_near(struct run *run, mpz_ptr x, mpz_srcptr y, unsigned long n) {
    mpz_t t;
    run->reference->mpz_init_(t);
    if (run_below(run, 2))
        run->reference->mpz_add_ui(t, y, n);
    else
        run->reference->mpz_sub_ui(t, y, n);
    mpz_set(x, t);
    run->reference->mpz_clear_(t);
}

/* v = a multiple of u, a bit more or less. */
static void make_multiple(struct run *run, mpz_ptr u, mpz_ptr v, size_t limbs) {
    const struct reference *gmp = run->reference;
    mpz_t f, x;
    mpz_init(f);
    gmp->mpz_init_(x);
    run_mpz(run, f, 1 + run_below(run, limbs));
    gmp->mpz_mul(x, u, f);
    set_near(run, v, x, run_below(run, 2) * run_below(run, 100));
    mpz_clear(f);
    gmp->mpz_clear_(x);
}

static void make_fibonacci(struct run *run, mpz_ptr u, mpz_ptr v, size_t limbs) {
    const struct reference *gmp = run->reference;
    mpz_t x, y;
    gmp->mpz_init_(x);
    gmp->mpz_init_(y);
    gmp->mpz_fib2_ui(x, y, 92 * limbs + run_below(run, 100));
    mpz_set(u, x);
    mpz_set(v, y);
    gmp->mpz_clear_(x);
    gmp->mpz_clear_(y);
}

/* Powers of two, or 1 more or less. */
static void make_powers(struct run *run, mpz_ptr u, mpz_ptr v, size_t limbs) {
    mpz_setbit(u, run_below(run, limbs * GMP_NUMB_BITS));
    mpz_setbit(v, run_below(run, limbs * GMP_NUMB_BITS));
    set_near(run, u, u, run_below(run, 2));
    set_near(run, v, v, run_below(run, 2));
}

int run_gcd_operands(struct run *run, mpz_ptr u, mpz_ptr v) {
    size_t un, vn, kind = run_below(run, 10);
    run_sizes(run, &un, &vn);
    switch (kind) {
    case 0:
        run_mpz(run, u, un);
        make_multiple(run, u, v, vn);
        return 0;
    case 1:
    case 6:
        if (un < LEAST && run->most >= 2 * LEAST)
            un += LEAST; /* most sizes are short */
        make_fibonacci(run, u, v, un);
        return un >= LEAST;
    case 2:
        make_powers(run, u, v, un);
        return 0;
    case 3:
        run_mpz(run, u, un);
        set_near(run, v, u, run_below(run, 100));
        return 0;
    case 4:
    case 5:
        make_chain(run, u, v, un / 4 + 1);
        break;
    default:
        run_mpz(run, u, un);
        run_mpz(run, v, vn);
    }
    if (run_below(run, 3) == 0)
        multiply(run, u, v, 1 + run_below(run, un));
    if (run_below(run, 4) == 0)
        mpz_swap(u, v);
    return 0;
}

void run_signs(struct run *run, mpz_ptr u, mpz_ptr v) {
    size_t signs = run_below(run, 8);
    if (signs & 1)
        u->_mp_size = -u->_mp_size;
    if (signs & 2)
        v->_mp_size = -v->_mp_size;
}

struct function {
    const char *name;
    void (*apply)(const struct reference *f, mpz_ptr r, mpz_srcptr u, mpz_srcptr v);
};

static void gcd(const struct reference *f, mpz_ptr r, mpz_srcptr u, mpz_srcptr v) {
    f->mpz_gcd(r, u, v);
}

static void lcm(const struct reference *f, mpz_ptr r, mpz_srcptr u, mpz_srcptr v) {
    f->mpz_lcm(r, u, v);
}

static int run_one(struct run *run, const void *how) {
    const struct function *f = how;
    mpz_t u, v, own, wanted;
    mpz_inits(u, v, own, NULL);
    run->reference->mpz_init_(wanted);
    int has_products = run_gcd_operands(run, u, v);
    run_signs(run, u, v);
    size_t un = mpz_size(u), vn = mpz_size(v), place = run_below(run, 4);
    mpz_ptr r = place == 1 ? u : place == 2 ? v : own;
    mpz_srcptr second = place == 3 ? u : v;
    f->apply(run->reference, wanted, u, second);
    run->eligible += has_products && place != 3;
    f->apply(&intercepted, r, u, second);
    int good = same_mpz(r, wanted);
    if (!good)
        fprintf(stderr, "differential: %s of %zu and %zu limbs in place %zu: wrong\n", f->name, un,
                vn, place);
    run->reference->mpz_clear_(wanted);
    mpz_clears(u, v, own, NULL);
    return good;
}

/* Any of the results in the place of an operand, or not asked for. */
static int run_gcdext(struct run *run, const void *how) {
    (void)how;
    mpz_t u, v, own[3], wanted[3];
    mpz_inits(u, v, own[0], own[1], own[2], NULL);
    for (int i = 0; i < 3; i++)
        run->reference->mpz_init_(wanted[i]);
    int has_products = run_gcd_operands(run, u, v), good = 1;
    run_signs(run, u, v);
    size_t un = mpz_size(u), vn = mpz_size(v), in_u = run_below(run, 6), in_v = run_below(run, 6);
    mpz_ptr place[3];
    for (size_t i = 0; i < 3; i++)
        place[i] = i == in_u ? u : i == in_v ? v : own[i];
    size_t without = run_below(run, 8);
    if (without < 3)
        place[without] = NULL;
    run->reference->mpz_gcdext(wanted[0], wanted[1], wanted[2], u, v);
    run->eligible += has_products;
    intercepted.mpz_gcdext(place[0], place[1], place[2], u, v);
    for (int i = 0; i < 3; i++) {
        good &= !place[i] || same_mpz(place[i], wanted[i]);
        run->reference->mpz_clear_(wanted[i]);
    }
    if (!good)
        fprintf(stderr, "differential: gcdext of %zu and %zu limbs: wrong\n", un, vn);
    mpz_clears(u, v, own[0], own[1], own[2], NULL);
    return good;
}

static int run_invert(struct run *run, const void *how) {
    (void)how;
    mpz_t u, v, own, wanted;
    mpz_inits(u, v, own, NULL);
    run->reference->mpz_init_(wanted);
    int has_products = run_gcd_operands(run, u, v);
    run_signs(run, u, v);
    if (mpz_sgn(v) == 0)
        mpz_set_ui(v, 1); /* no modulus 0 */
    size_t un = mpz_size(u), vn = mpz_size(v), place = run_below(run, 3);
    mpz_ptr r = place == 1 ? u : place == 2 ? v : own;
    int exists = run->reference->mpz_invert(wanted, u, v);
    run->eligible += has_products;
    int good = (intercepted.mpz_invert(r, u, v) != 0) == (exists != 0);
    good &= !exists || same_mpz(r, wanted);
    if (!good)
        fprintf(stderr, "differential: inverse of %zu limbs modulo %zu in place %zu: wrong\n", un,
                vn, place);
    run->reference->mpz_clear_(wanted);
    mpz_clears(u, v, own, NULL);
    return good;
}

static int run_canonicalize(struct run *run, const void *how) {
    (void)how;
    const struct reference *gmp = run->reference;
    mpq_t r, wanted;
    mpz_inits(mpq_numref(r), mpq_denref(r), NULL);
    gmp->mpz_init_(mpq_numref(wanted));
    gmp->mpz_init_(mpq_denref(wanted));
    int has_products = run_gcd_operands(run, mpq_numref(r), mpq_denref(r));
    run_signs(run, mpq_numref(r), mpq_denref(r));
    if (mpz_sgn(mpq_denref(r)) == 0)
        mpz_set_si(mpq_denref(r), -1);
    gmp->mpz_set_(mpq_numref(wanted), mpq_numref(r));
    gmp->mpz_set_(mpq_denref(wanted), mpq_denref(r));
    gmp->mpq_canonicalize(wanted);
    run->eligible += has_products;
    intercepted.mpq_canonicalize(r);
    int good =
        same_mpz(mpq_numref(r), mpq_numref(wanted)) && same_mpz(mpq_denref(r), mpq_denref(wanted));
    if (!good)
        fprintf(stderr, "differential: mpq_canonicalize: wrong\n");
    gmp->mpz_clear_(mpq_numref(wanted));
    gmp->mpz_clear_(mpq_denref(wanted));
    mpz_clears(mpq_numref(r), mpq_denref(r), NULL);
    return good;
}

static const struct function gcd_of = {"mpz_gcd", gcd}, lcm_of = {"mpz_lcm", lcm};

const struct differential_case differential_gcd[] = {
    {"mpz_gcd", run_one, &gcd_of},
    {"mpz_lcm", run_one, &lcm_of},
    {"mpz_gcdext", run_gcdext, NULL},
    {"mpz_invert", run_invert, NULL},
    {"mpq_canonicalize", run_canonicalize, NULL},
    {NULL, NULL, NULL},
};
