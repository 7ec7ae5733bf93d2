/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests greatest common divisors. The operands have common factors or none, or are multiples or
 * neighbours. Other pairs lead to long runs of quotients 1, or to long quotients, in Euclid's
 * algorithm. The result may be written over any operand. */
#include "tests/differential/differential_numbers.h"

/* If the operands have at least this many limbs, even the gcd of neighbouring Fibonacci numbers
 * needs products that the device can compute. */
enum { LEAST = 24 };

/* Sets (x, y) to (q x + y, x): the reverse of a step of Euclid's algorithm with quotient q. */
static void grow(const struct reference *gmp, mpz_ptr x, mpz_ptr y, mpz_srcptr q) {
    gmp->mpz_addmul(y, x, q);
    mpz_swap(x, y);
}

/* Sets u and v to numbers for which Euclid's algorithm has quotients of one or two bits, and
 * rarely longer quotients. */
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

/* Multiplies u and v by the same random number. */
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

/* Sets x to y + n or y - n. */
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

/* Sets v to a multiple of u, plus or minus a small number or 0. */
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

/* Sets u and v to powers of two, or to their neighbours. */
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
            un += LEAST; /* so that most operands are long enough for products on the device */
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

static void make(struct run *run, struct numbers *x) {
    x->eligible = run_gcd_operands(run, x->u[0], x->u[1]);
    run_signs(run, x->u[0], x->u[1]);
}

/* Sometimes makes both operands the same variable. */
static void make_same(struct run *run, struct numbers *x) {
    make(run, x);
    if (run_below(run, 4) == 0) {
        x->u[1] = x->u[0];
        x->eligible = 0;
    }
}

static void make_extended(struct run *run, struct numbers *x) {
    make(run, x);
    x->may_be_null = 1;
}

/* Sets the modulus to 1 if it is 0. */
static void make_modulus(struct run *run, struct numbers *x) {
    make(run, x);
    if (mpz_sgn(x->u[1]) == 0)
        mpz_set_ui(x->u[1], 1);
}

/* Calls mpz_invert.  If there is no inverse, the value of r is undefined, so sets r to 0 for the
 * comparison. */
static long invert(const struct reference *f, mpz_ptr r, mpz_srcptr u, mpz_srcptr m) {
    if (f->mpz_invert(r, u, m))
        return 1;
    r->_mp_size = 0;
    return 0;
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

#define FUNCTIONS(X)                                                                               \
    X(mpz_gcd, 2, 1, make_same, (f->mpz_gcd(r[0], u[0], u[1]), 0))                                 \
    X(mpz_lcm, 2, 1, make_same, (f->mpz_lcm(r[0], u[0], u[1]), 0))                                 \
    X(mpz_invert, 2, 1, make_modulus, invert(f, r[0], u[0], u[1]))                                 \
    X(mpz_gcdext, 2, 3, make_extended, (f->mpz_gcdext(r[0], r[1], r[2], u[0], u[1]), 0))
FUNCTIONS(NUMBERS_APPLY)
const struct differential_case differential_gcd[] = {{"mpq_canonicalize", run_canonicalize, NULL},
                                                     FUNCTIONS(NUMBERS_CASE){NULL, NULL, NULL}};
