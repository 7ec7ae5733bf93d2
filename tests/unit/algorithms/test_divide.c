/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests division that consists of multiplications; compares the results with GMP's. A mock device
 * counts the products that it computes. In some tests some of these products fail. */
#include "compat/intercept/composite_call.h"
#include "lib/algorithms/divide.h"
#include "lib/algorithms/divide_mpz.h"
#include "lib/gmp/real.h"
#include "tests/support/mock.h"
#include "tests/support/testing.h"

enum { MOST = 400 };

struct operands {
    size_t nn, dn, qn;
    mp_limb_t n[3 * MOST], d[MOST + 1];
    mp_limb_t wanted_q[3 * MOST], wanted_r[MOST + 1];
};

/* Makes a divisor: random limbs, or a power of two. The power may have a small number added, or 1
 * subtracted. */
static void make_divisor(struct operands *o) {
    testing_limbs(o->d, o->dn);
    if (testing_below(4) == 0) {
        mpn_zero(o->d, (mp_size_t)o->dn);
        o->d[o->dn - 1] = testing_below(2) ? 1 : (mp_limb_t)1 << (GMP_NUMB_BITS - 1);
        if (testing_below(2))
            mpn_add_1(o->d, o->d, (mp_size_t)o->dn, testing_below(3));
        else if (o->d[o->dn - 1] != 1)
            mpn_sub_1(o->d, o->d, (mp_size_t)o->dn, 1);
    }
    if (o->d[o->dn - 1] == 0)
        o->d[o->dn - 1] = 1;
}

/* Makes a numerator: random limbs; or q d + r with random q, the divisor d, and a remainder r of 0,
 * 1, d - 2 or d - 1. */
static void make_numerator(struct operands *o) {
    testing_limbs(o->n, o->nn);
    if (o->qn < 2 || testing_below(2))
        return;
    mp_limb_t q[3 * MOST];
    mp_size_t qn = (mp_size_t)o->qn - 1, dn = (mp_size_t)o->dn;
    testing_limbs(q, (size_t)qn);
    if (qn >= dn)
        real.mpn_mul(o->n, q, qn, o->d, dn);
    else
        real.mpn_mul(o->n, o->d, dn, q, qn);
    if (testing_below(2)) {
        mpn_add(o->n, o->n, (mp_size_t)o->nn, o->d, dn);
        mpn_sub_1(o->n, o->n, (mp_size_t)o->nn, 1 + testing_below(2));
    } else if (testing_below(2))
        mpn_add_1(o->n, o->n, (mp_size_t)o->nn, 1);
}

static void make(struct operands *o) {
    o->dn = 1 + testing_size(MOST);
    if (o->dn > MOST)
        o->dn = MOST;
    o->qn = testing_size(2 * MOST);
    o->nn = o->dn + o->qn - 1;
    make_divisor(o);
    make_numerator(o);
    real.mpn_tdiv_qr(o->wanted_q, o->wanted_r, 0, o->n, (mp_size_t)o->nn, o->d, (mp_size_t)o->dn);
}

/* Runs a test as the body of a composite operation (a GMP function that computes several
 * products). */
static void inside(void (*test)(struct composite *w)) {
    struct composite_call c;
    call_init();
    ck_assert(composite_call_begin(&c, CALL_ROW(mpn_tdiv_qr), 1000, &thresholds.mul, 1000));
    test(&c.composite);
    composite_call_end(&c);
}

static void assert_same(const mp_limb_t *ap, const mp_limb_t *bp, size_t n, const char *what,
                        const struct operands *o) {
    ck_assert_msg(mpn_cmp(ap, bp, (mp_size_t)n) == 0, "wrong %s of %zu by %zu limbs", what, o->nn,
                  o->dn);
}

/* Checks quotient and remainder in separate arrays. Then divides again and overwrites the operands
 * with the results. */
static void check_qr(struct composite *w, const struct operands *o) {
    mp_limb_t q[3 * MOST], r[MOST + 1];
    struct operands over = *o;
    ck_assert(divide_qr(w, q, r, o->n, o->nn, o->d, o->dn));
    assert_same(q, o->wanted_q, o->qn, "quotient", o);
    assert_same(r, o->wanted_r, o->dn, "remainder", o);
    ck_assert(divide_qr(w, over.n, over.d, over.n, o->nn, over.d, o->dn));
    assert_same(over.n, o->wanted_q, o->qn, "quotient in the numerator's place", o);
    assert_same(over.d, o->wanted_r, o->dn, "remainder in the divisor's place", o);
}

static void check_q(struct composite *w, const struct operands *o) {
    struct operands over = *o;
    bool exact = false;
    mp_size_t dn = (mp_size_t)o->dn;
    ck_assert(divide_q(w, over.n, &exact, over.n, o->nn, o->d, o->dn));
    assert_same(over.n, o->wanted_q, o->qn, "quotient alone", o);
    ck_assert_int_eq(exact, mpn_zero_p(o->wanted_r, dn));
    over = *o;
    mpn_sub(over.n, o->n, (mp_size_t)o->nn, o->wanted_r, dn);
    ck_assert(divide_q(w, over.wanted_q, &exact, over.n, o->nn, o->d, o->dn));
    assert_same(over.wanted_q, o->wanted_q, o->qn, "quotient without remainder", o);
    ck_assert_int_eq(exact, 1);
    ck_assert(divide_exact(w, over.n, over.n, o->nn, o->d, o->dn));
    assert_same(over.n, o->wanted_q, o->qn, "exact quotient", o);
}

/* Checks division by a struct divisor, which holds a divisor and its precomputed reciprocal and
 * serves for several numerators. */
static void check_by(struct composite *w, const struct operands *o) {
    mp_limb_t q[3 * MOST], r[MOST + 1];
    struct divisor v;
    ck_assert(divisor_open(&v, w, o->d, o->dn, o->nn + testing_below(3)));
    for (int i = 0; i < 2; i++) {
        divisor_qr(&v, q, i ? NULL : r, o->n, o->nn);
        assert_same(q, o->wanted_q, o->qn, "quotient by a divisor", o);
    }
    assert_same(r, o->wanted_r, o->dn, "remainder by a divisor", o);
    divisor_qr(&v, q, NULL, o->d, o->dn);
    ck_assert(q[0] == 1);
    divisor_close(&v);
}

static void divide_all(struct composite *w) {
    struct operands o;
    for (unsigned long i = testing_option("MPGPU_TEST_DIVISIONS", 4000); i; i--) {
        make(&o);
        check_qr(w, &o);
        check_q(w, &o);
        check_by(w, &o);
    }
    ck_assert_int_gt(mock.calls, 0);
    ck_assert((mock.wrapped > 0) == mock.wraps);
}

START_TEST(test_divides) {
    mock.fails_at_times = _i & 1;
    mock.wraps = _i >> 1;
    inside(divide_all);
}
END_TEST

/* Divides random numbers of nn and dn limbs by means of products. Returns the total length of these
 * products, as a multiple of the length of the divisor's square. */
static double cost(struct composite *w, size_t nn, size_t dn, int quotient_alone) {
    mp_ptr n = malloc(nn * sizeof *n), d = malloc(dn * sizeof *d), q = malloc(nn * sizeof *q);
    bool exact;
    ck_assert(n && d && q);
    mpn_random(n, (mp_size_t)nn);
    mpn_random(d, (mp_size_t)dn);
    mock.limbs = 0;
    if (quotient_alone)
        divide_q(w, q, &exact, n, nn, d, dn);
    else
        divide_qr(w, q, n, n, nn, d, dn);
    free(n);
    free(d);
    free(q);
    return (double)mock.limbs / (2.0 * (double)dn);
}

/* Checks the cost of divisions. In case 0 the device computes only full products; in case 1 also
 * products modulo 2^(64 n) - 1, for every n. */
static void all_costs(struct composite *w) {
    static const struct {
        size_t nn, dn;
        int quotient_alone;
        double most[2];
    } rows[] = {
        {20000, 10000, 0, {3.8, 3.1}},  {20000, 10000, 1, {3.1, 2.7}},
        {110000, 10000, 0, {23, 17.5}}, {11000, 10000, 0, {1.0, 1.0}},
        {11000, 10000, 1, {0.4, 0.4}},  {15000, 10000, 0, {2.4, 2.1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double now = cost(w, rows[i].nn, rows[i].dn, rows[i].quotient_alone);
        printf("%zu by %zu limbs%s%s: %.2f products of the divisor's size\n", rows[i].nn,
               rows[i].dn, rows[i].quotient_alone ? ", quotient alone" : "",
               mock.wraps ? ", modulo B^n - 1" : "", now);
        ck_assert_double_lt(now, rows[i].most[mock.wraps]);
    }
}

START_TEST(test_costs) {
    mock.wraps = _i;
    inside(all_costs);
}
END_TEST

/* ---- operations without memory
 *
 * The linker replaces scratch_alloc of lib/algorithms/scratch.c by __wrap_scratch_alloc. An
 * operation is repeated, and in each repetition another one of its allocations fails. */

mp_ptr __real_scratch_alloc(size_t n);
mp_ptr __wrap_scratch_alloc(size_t n);

static int requests, refused = -1;

mp_ptr __wrap_scratch_alloc(size_t n) {
    return requests++ == refused ? NULL : __real_scratch_alloc(n);
}

static void divide_mpz(mpz_ptr x, mpz_ptr y, mpz_srcptr n, mpz_srcptr d) {
    mpz_fdiv_qr(x, y, n, d);
}

static void quotient_mpz(mpz_ptr x, mpz_ptr y, mpz_srcptr n, mpz_srcptr d) {
    mpz_cdiv_q(x, n, d);
    mpz_divexact(y, d, d);
}

static void power_mpz(mpz_ptr x, mpz_ptr y, mpz_srcptr n, mpz_srcptr d) {
    mpz_powm_ui(x, n, 1000003, d);
    mpz_set_ui(y, 0);
}

static void root_mpz(mpz_ptr x, mpz_ptr y, mpz_srcptr n, mpz_srcptr d) {
    mpz_sqrtrem(x, y, d);
    mpz_sqrt(y, n->_mp_size < 0 ? d : n);
}

typedef void operation(mpz_ptr x, mpz_ptr y, mpz_srcptr n, mpz_srcptr d);
static operation *const operations[] = {divide_mpz, quotient_mpz, power_mpz, root_mpz};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void refuse_each(operation *f, mpz_srcptr n, mpz_srcptr d) {
    mpz_t x, y, wanted_x, wanted_y;
    mpz_inits(x, y, wanted_x, wanted_y, NULL);
    f(wanted_x, wanted_y, n, d);
    int all = requests;
    for (refused = 0; refused < all; refused++) {
        requests = 0;
        f(x, y, n, d);
        ck_assert(mpz_cmp(x, wanted_x) == 0 && mpz_cmp(y, wanted_y) == 0);
    }
    ck_assert_int_gt(refused, 0);
    mpz_clears(x, y, wanted_x, wanted_y, NULL);
}

START_TEST(test_no_memory) {
    mpz_t n, d;
    mpz_inits(n, d, NULL);
    call_init();
    testing_limbs(mpz_limbs_write(n, 60), 60);
    mpz_limbs_finish(n, -60);
    testing_limbs(mpz_limbs_write(d, 23), 23);
    mpz_limbs_finish(d, 23);
    mpz_setbit(d, 23 * GMP_NUMB_BITS - 2);
    requests = 0;
    refused = -1;
    refuse_each(operations[_i], n, d);
    mpz_clears(n, d, NULL);
}
END_TEST

/* ---- divisions of mpz_t whose results are also operands */

static void divide_by_gmp(enum divide_mpz_rounding rounding, mpz_ptr q, mpz_ptr r, mpz_srcptr n,
                          mpz_srcptr d) {
    if (rounding == DIVIDE_MPZ_FLOOR || (rounding == DIVIDE_MPZ_MODULO && d->_mp_size > 0))
        real.mpz_fdiv_qr(q, r, n, d);
    else if (rounding == DIVIDE_MPZ_CEILING || rounding == DIVIDE_MPZ_MODULO)
        real.mpz_cdiv_qr(q, r, n, d);
    else
        real.mpz_tdiv_qr(q, r, n, d);
}

/* Divides n by d. Each result goes to the variable of n, to that of d, to a third one, or is
 * omitted. Tries all valid combinations. */
static void divide_in_place(struct composite *w, enum divide_mpz_rounding rounding, mpz_srcptr n,
                            mpz_srcptr d) {
    enum { OTHER = 2, NO_RESULT };
    mpz_t q, r, x[4];
    mpz_inits(q, r, x[0], x[1], x[2], x[3], NULL);
    divide_by_gmp(rounding, q, r, n, d);
    for (int i = 0; i <= NO_RESULT; i++)
        for (int j = 0; j <= NO_RESULT; j++) {
            mpz_ptr to_q = i == NO_RESULT ? NULL : x[i];
            mpz_ptr to_r = j == NO_RESULT ? NULL : x[j == OTHER ? 3 : j];
            if (to_q == to_r || (rounding == DIVIDE_MPZ_EXACT && (!to_q || to_r)))
                continue;
            mpz_set(x[0], n);
            mpz_set(x[1], d);
            ck_assert(divide_mpz_by_products(w, rounding, to_q, to_r, x[0], x[1]));
            ck_assert_msg((!to_q || mpz_cmp(to_q, q) == 0) && (!to_r || mpz_cmp(to_r, r) == 0),
                          "rounding %d, quotient in %d, remainder in %d: wrong", rounding, i, j);
        }
    mpz_clears(q, r, x[0], x[1], x[2], x[3], NULL);
}

static void divide_each_in_place(struct composite *w) {
    mpz_t n, d, product;
    mpz_inits(n, d, product, NULL);
    for (int k = 0; k < 40; k++) {
        const mp_size_t dn = 1 + (mp_size_t)testing_below(60),
                        nn = dn + (mp_size_t)testing_below(60);
        testing_limbs(mpz_limbs_write(n, nn), (size_t)nn);
        testing_limbs(mpz_limbs_write(d, dn), (size_t)dn);
        n->_mp_d[nn - 1] |= 1;
        d->_mp_d[dn - 1] |= 1;
        mpz_limbs_finish(n, k & 1 ? -nn : nn);
        mpz_limbs_finish(d, k & 2 ? -dn : dn);
        real.mpz_mul(product, n, d);
        for (enum divide_mpz_rounding i = DIVIDE_MPZ_TRUNCATE; i < DIVIDE_MPZ_EXACT; i++)
            divide_in_place(w, i, k & 4 ? product : n, d);
        divide_in_place(w, DIVIDE_MPZ_EXACT, product, d);
    }
    mpz_clears(n, d, product, NULL);
}

START_TEST(test_in_place) {
    inside(divide_each_in_place);
}
END_TEST

int main(void) {
    testing_random();
    return testing_main("divide", 120,
                        TESTS(LOOP(test_divides, 4), LOOP(test_costs, 2),
                              LOOP(test_no_memory, OPERATIONS), ONCE(test_in_place)));
}
