/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Generates random jobs of composite operations, and computes their expected results by GMP.  A job
 * is an operation with its operands as plain data; a composite operation consists of products. */
#include "tests/support/testing.h"

#include <ctype.h>
#include <string.h>

#include "compat/batch/batch_gmp.h"
#include "lib/algorithms/divide.h"
#include "lib/algorithms/fibonacci.h"
#include "lib/algorithms/limb_tree.h"
#include "lib/algorithms/power.h"
#include "lib/algorithms/powm.h"
#include "lib/algorithms/radix_job.h"
#include "lib/algorithms/root.h"
#include "lib/calc/calc_root.h"
#include "lib/calc/calc_sqrt.h"
#include "lib/gmp/real.h"
#include "lib/job/limbs_gmp.h"
#include "lib/operate/first_reciprocal.h"
#include "tests/support/composite_cases.h"

static mp_limb_t anywhere; /* a placeholder for results whose memory is not allocated yet */

/* ---- for the functions make_NAME: memory, and numbers with extreme carries */

static void *take_bytes(struct composite_case *c, size_t bytes) {
    void *p = calloc(bytes + 1, 1);
    ck_assert_ptr_nonnull(p);
    ck_assert_uint_lt(c->made_count, sizeof c->made / sizeof *c->made);
    return c->made[c->made_count++] = p;
}

static mp_ptr take(struct composite_case *c, size_t n) {
    return take_bytes(c, n * sizeof(mp_limb_t));
}

/* Copies operand k of the job, and the operands after it, to memory that the case owns. */
static void take_operands(struct composite_case *c, unsigned k) {
    for (; k < c->job.operands; k++) {
        struct job_ref *u = &c->job.u[k];
        u->host = memcpy(take_bytes(c, job_bytes(u)), u->host, job_bytes(u));
    }
}

static bool is_plain; /* whether the current case has uniform operands of full length */

/* Returns true with a probability of 1/n.  In a case with uniform operands (is_plain), always
 * returns false. */
static bool one_of(unsigned long n) {
    return !is_plain && testing_below(n) == 0;
}

static size_t at_least(size_t n, size_t least) {
    return n < least ? least : n;
}

/* Sets {p, n} to a number with extreme carries: random, all zeros or ones except the ends, or ones
 * in the lower half.  The highest limb is not 0. */
static void fill(mp_ptr p, size_t n) {
    const mp_limb_t tops[] = {~(mp_limb_t)0, (mp_limb_t)1 << 63, 1, 3};
    testing_limbs(p, n);
    for (size_t i = 0; i < n && is_plain; i++)
        p[i] = gmp_urandomb_ui(*testing_random(), 64);
    if (one_of(4)) {
        memset(p, one_of(2) ? 0xff : 0, n * sizeof *p);
        p[n - 1] = tops[testing_below(4)];
        p[0] |= testing_below(2);
        memset(p, 0xff, one_of(4) ? n / 2 * sizeof *p : 0);
    }
    if (one_of(2))
        p[n - 1] >>= testing_below(64);
    p[n - 1] |= p[n - 1] == 0;
}

static mp_ptr take_number(struct composite_case *c, size_t n) {
    mp_ptr p = take(c, n);
    fill(p, n);
    return p;
}

/* Sets x to a number of n limbs by fill(). */
static void set_random(mpz_ptr x, size_t n) {
    fill(mpz_limbs_write(x, (mp_size_t)n), n);
    mpz_limbs_finish(x, (mp_size_t)n);
}

/* Adds 1, 0 or -1 to x at random; x stays at least 1. */
static void step(mpz_ptr x) {
    mpz_t one;
    mpz_init_set_ui(one, 1);
    if (one_of(3))
        real.mpz_add(x, x, one);
    else if (one_of(2) && mpz_cmp_ui(x, 1) > 0)
        real.mpz_sub(x, x, one);
    mpz_clear(one);
}

static mp_ptr take_mpz(struct composite_case *c, mpz_srcptr x) {
    return memcpy(take(c, mpz_size(x)), mpz_limbs_read(x), mpz_size(x) * sizeof(mp_limb_t));
}

/* ---- for the functions gmp_NAME: reading operands, writing results and answers (flags such as a
 * carry) */

static void view(mpz_ptr x, const struct job_ref *u) {
    gmp_view(x, u->host, u->n);
}

static void put(struct job *j, unsigned k, mpz_srcptr x) {
    if (j->r[k].count > 0)
        normalize_pad(j->r[k].host, j->r[k].n, x);
}

static void answer(struct job *j, enum job_answer what, bool is_so) {
    if (is_so)
        j->answer |= what;
}

/* ---- division */

/* Sets {np, nn} to a multiple of {dp, dn} or to one less, so that the remainder is 0 or d - 1. */
static void set_multiple(mp_ptr np, size_t nn, mp_srcptr dp, size_t dn) {
    mpz_t q, d, one;
    mpz_init(q);
    gmp_view(d, dp, dn);
    if (nn > dn)
        set_random(q, nn - dn);
    else
        mpz_set_ui(q, 1);
    real.mpz_mul(q, q, d);
    mpz_init_set_ui(one, 1);
    if (one_of(2))
        real.mpz_sub(q, q, one);
    normalize_pad(np, nn, q);
    mpz_clear(q);
    mpz_clear(one);
}

static void make_tdiv_qr(struct composite_case *c, size_t n, unsigned variant) {
    static bool is_less, is_exact;
    const bool is_same = variant & JOB_CASE_SAME, is_alone = variant & JOB_CASE_UNWANTED;
    const size_t dn = at_least(n, 2), qn = is_same ? 1 : one_of(2) ? testing_size(2 * dn) : dn + 1;
    struct division d = {.qp = is_alone && one_of(3) ? NULL : &anywhere,
                         .rp = is_alone ? NULL : &anywhere,
                         .nn = dn + qn - 1,
                         .dn = dn,
                         .is_less = one_of(2) ? &is_less : NULL,
                         .is_exact = one_of(2) ? &is_exact : NULL};
    mp_ptr dp = take_number(c, dn), np = is_same ? dp : take_number(c, d.nn);
    d.zeros = one_of(4) && !is_same ? testing_below(d.nn) : 0;
    if (d.zeros == 0 && !is_same && one_of(2))
        set_multiple(np, d.nn, dp, dn);
    d.np = np;
    d.dp = dp;
    c->job = divide_job(&d, take(c, FIRST_RECIPROCAL_LIMBS));
}

static void gmp_tdiv_qr(struct job *j) {
    mpz_t q, r, n, d;
    mpz_init(q);
    mpz_init(r);
    mpz_init(n);
    view(d, &j->u[JOB_NUMERATOR]);
    mpz_mul_2exp(n, d, 64 * j->parameter[JOB_ZEROS]);
    view(d, &j->u[JOB_DIVISOR]);
    real.mpz_tdiv_qr(q, r, n, d);
    put(j, JOB_QUOTIENT, q);
    put(j, JOB_REMAINDER, r);
    answer(j, JOB_IS_LESS, mpz_cmp(q, r) < 0);
    answer(j, JOB_IS_EXACT, mpz_sgn(r) == 0);
    mpz_clear(q);
    mpz_clear(r);
    mpz_clear(n);
}

/* ---- roots */

/* Returns the number of bits of a k-th root of a number of n limbs: random, or a number for which
 * Newton's iteration needs one step more. */
static uint64_t root_bits(size_t n, unsigned long k) {
    const uint64_t bits = 64 * n / k, guard = k == 2 ? CALC_SQRT_GUARD : CALC_ROOT_GUARD;
    const uint64_t quads = CALC_QUAD_BITS * (bits / CALC_QUAD_BITS + 1) - guard;
    return at_least(one_of(2)   ? quads + testing_below(2)
                    : one_of(2) ? bits - testing_below(bits / 2 + 1)
                                : bits,
                    k == 2 ? 1 : CALC_ROOT_LEAST + 1);
}

static void make_root(struct composite_case *c, size_t n, unsigned long k, unsigned variant) {
    static bool is_exact;
    const uint64_t bits = root_bits(n, k);
    mpz_t x;
    mpz_init(x);
    set_random(x, (bits + 63) / 64);
    mpz_fdiv_r_2exp(x, x, bits);
    mpz_setbit(x, bits - 1);
    if (one_of(2))
        real.mpz_pow_ui(x, x, k);
    else
        set_random(x, (k * bits + 63) / 64);
    step(x);
    if (!job_root_is_possible(mpz_sizeinbase(x, 2), k))
        mpz_setbit(x, k * bits);
    const struct root root = {.sp = &anywhere,
                              .rp = variant & JOB_CASE_UNWANTED ? NULL : &anywhere,
                              .np = take_mpz(c, x),
                              .nn = mpz_size(x),
                              .k = k,
                              .is_exact = one_of(3) ? NULL : &is_exact};
    c->job = root_job(&root, take(c, JOB_ROOT_FIRST_LIMBS));
    mpz_clear(x);
}

static void make_sqrtrem(struct composite_case *c, size_t n, unsigned variant) {
    make_root(c, n, 2, variant);
}

static void make_rootrem(struct composite_case *c, size_t n, unsigned variant) {
    make_root(c, n, 3 + (one_of(3) ? testing_below(CALC_ROOT_MOST - 2) : testing_below(5)),
              variant);
}

static void gmp_rootrem(struct job *j) {
    mpz_t s, r, n;
    mpz_init(s);
    mpz_init(r);
    view(n, &j->u[0]);
    real.mpz_rootrem(s, r, n, j->parameter[JOB_DEGREE]);
    put(j, JOB_ROOT, s);
    put(j, JOB_REMAINDER, r);
    answer(j, JOB_IS_EXACT, mpz_sgn(r) == 0);
    mpz_clear(s);
    mpz_clear(r);
}

static void gmp_sqrtrem(struct job *j) {
    gmp_rootrem(j);
}

/* ---- powers modulo m */

/* Returns a base for a power modulo m: 0, 1, m - 1, m, a multiple of m, or a random number of up to
 * three times m's limbs. */
static mp_ptr take_base(struct composite_case *c, mpz_srcptr m, size_t *n) {
    mpz_t b;
    mpz_init_set_ui(b, testing_below(2));
    const unsigned long kind = is_plain ? 4 : testing_below(8);
    if (kind > 3)
        set_random(b, kind > 6 ? testing_size(3 * mpz_size(m)) : mpz_size(m) - testing_below(2));
    else if (kind > 1)
        mpz_mul_ui(b, m, kind > 2 ? 1 : 12345);
    else if (kind > 0)
        mpz_sub_ui(b, m, 1);
    *n = at_least(mpz_size(b), 1);
    mp_ptr p = mpz_sgn(b) ? take_mpz(c, b) : take(c, 1);
    mpz_clear(b);
    return p;
}

/* Returns an exponent: of few bits, of some limbs, or with only the highest and the lowest bit set.
 * It is short if n is large.  For small n it may be longer than the device accepts. */
static mp_ptr take_exponent(struct composite_case *c, size_t n, size_t *en) {
    *en = n > 100 || is_plain  ? 1
          : n < 4 && one_of(4) ? 600
          : one_of(4)          ? 1 + testing_below(10)
                               : 1;
    mp_ptr p = take(c, *en);
    if (*en == 1)
        p[0] = 2 + testing_below(n > 1000 ? 14 : one_of(4) ? 70000 : 40);
    else if (one_of(2))
        fill(p, *en);
    else
        p[0] = p[*en - 1] = 1;
    return p;
}

static void make_powm(struct composite_case *c, size_t n, unsigned variant) {
    struct powm p = {.rp = &anywhere, .mn = at_least(n, 2)};
    mpz_t m;
    mpz_init(m);
    set_random(m, p.mn);
    p.mp = take_mpz(c, m);
    p.bp = p.mp;
    p.bn = p.mn;
    if (!(variant & JOB_CASE_SAME))
        p.bp = take_base(c, m, &p.bn);
    p.ep = take_exponent(c, n, &p.en);
    c->job = powm_job(&p, take(c, FIRST_RECIPROCAL_LIMBS));
    mpz_clear(m);
}

static void gmp_powm(struct job *j) {
    mpz_t r, b, e, m;
    mpz_init(r);
    view(b, &j->u[JOB_BASE]);
    view(e, &j->u[JOB_EXPONENT]);
    view(m, &j->u[JOB_MODULUS]);
    real.mpz_powm(r, b, e, m);
    put(j, 0, r);
    mpz_clear(r);
}

/* ---- powers, Fibonacci and Lucas numbers */

static void make_pow(struct composite_case *c, size_t n, unsigned variant) {
    const size_t bn = one_of(3) ? 1 : testing_size(n < 300 ? n : 300);
    mp_ptr bp = take_number(c, bn);
    mpz_t start;
    (void)variant;
    bp[0] |= 3;
    mpz_init(start);
    c->job = power_job(bp, bn, at_least(n / bn, 2) + testing_below(3),
                       one_of(2) ? (unsigned)testing_below(64) : 0, start);
    take_operands(c, JOB_START);
    c->job.r[0] = job_limbs(&anywhere, job_power_limbs(&c->job));
    mpz_clear(start);
}

static void gmp_pow(struct job *j) {
    mpz_t r, b;
    mpz_init(r);
    view(b, &j->u[JOB_BASE]);
    real.mpz_pow_ui(r, b, j->parameter[JOB_POWER]);
    mpz_mul_2exp(r, r, j->parameter[JOB_SHIFT]);
    put(j, 0, r);
    mpz_clear(r);
}

static void make_fibonacci(struct composite_case *c, size_t n, unsigned variant) {
    const int kind = (int)testing_below(3);
    const unsigned long index = n < 2 ? 2 + testing_below(12) : 92 * n + testing_below(92);
    c->job = fibonacci_job(index, kind, take(c, FIBONACCI_START_LIMBS));
    c->job.r[0] = job_limbs(&anywhere, job_fibonacci_limbs(&c->job));
    if (kind != CALC_FIBONACCI_ONE && !(variant & JOB_CASE_UNWANTED))
        c->job.r[1] = c->job.r[0];
}

static void gmp_fibonacci(struct job *j) {
    mpz_t r, s;
    mpz_init(r);
    mpz_init(s);
    if (j->parameter[JOB_KIND] == CALC_FIBONACCI_LUCAS)
        real.mpz_lucnum2_ui(r, s, j->parameter[JOB_INDEX]);
    else
        real.mpz_fib2_ui(r, s, j->parameter[JOB_INDEX]);
    put(j, 0, r);
    put(j, 1, s);
    mpz_clear(r);
    mpz_clear(s);
}

/* ---- products, sums, products by one limb */

static size_t result_limbs(enum job_op op, size_t un, size_t vn) {
    switch (op) {
    case JOB_mul:
        return un + vn;
    case JOB_add:
    case JOB_sub:
        return un;
    case JOB_mul_1:
        return un + 2; /* the product has un + 1 limbs; an addend takes one limb more */
    default:           /* products modulo B^n - 1 or B^n + 1, and low products */
        return un + testing_below(vn);
    }
}

static void make_on_limbs(struct composite_case *c, size_t n, unsigned variant) {
    struct job *j = &c->job;
    const size_t vn = variant & JOB_CASE_SAME || one_of(2) ? n : 1 + testing_below(n);
    mp_ptr limb = take_number(c, 1);
    j->operands = j->op == JOB_mul_1 && one_of(2) ? 1 : 2;
    j->results = 1;
    j->u[0] = job_limbs(take_number(c, n), n);
    j->u[1] = variant & JOB_CASE_SAME ? j->u[0] : job_limbs(take_number(c, vn), vn);
    j->parameter[JOB_LIMB] = *limb;
    j->parameter[JOB_SUBTRACT] = one_of(2);
    j->r[0] = job_limbs(&anywhere, result_limbs(j->op, n, vn));
    j->r[0].n -= j->operands == 1 && !j->parameter[JOB_SUBTRACT];
}

/* ---- parts of products; products that are added or subtracted */

/* Returns an addend w: random, or one for which w - u v is -1, 0 or 1. */
static struct job_ref take_addend(struct composite_case *c) {
    mpz_t w, u, v;
    mpz_init(w);
    view(u, &c->job.u[0]);
    view(v, &c->job.u[1]);
    if (one_of(3)) {
        real.mpz_mul(w, u, v);
        step(w);
    } else {
        set_random(w, testing_size(2 * mpz_size(u)));
    }
    struct job_ref ref = job_limbs(take_mpz(c, w), mpz_size(w));
    mpz_clear(w);
    return ref;
}

static void make_mul_part(struct composite_case *c, size_t n, unsigned variant) {
    const bool has_addend = one_of(2);
    const size_t vn = variant & JOB_CASE_SAME || one_of(2) ? n : testing_size(n);
    const uint64_t skip = has_addend || n < 20 ? 0 : testing_below(n / 10);
    c->job.operands = has_addend ? 3 : 2;
    c->job.results = 1;
    c->job.u[0] = job_limbs(take_number(c, n), n);
    c->job.u[1] = variant & JOB_CASE_SAME ? c->job.u[0] : job_limbs(take_number(c, vn), vn);
    uint64_t rn = n + vn;
    if (has_addend) {
        c->job.u[JOB_ADDEND] = take_addend(c);
        rn = at_least(rn, c->job.u[JOB_ADDEND].n) + 1;
    }
    c->job.parameter[JOB_SKIP] = skip;
    c->job.parameter[JOB_SUBTRACT] = has_addend && one_of(2);
    c->job.r[0] = job_limbs(&anywhere, rn - skip);
}

static void gmp_mul_part(struct job *j) {
    mpz_t r, u, v;
    mpz_init(r);
    view(u, &j->u[0]);
    view(v, &j->u[1]);
    real.mpz_mul(r, u, v);
    if (j->operands > JOB_ADDEND) {
        view(u, &j->u[JOB_ADDEND]);
        if (j->parameter[JOB_SUBTRACT])
            real.mpz_sub(r, u, r);
        else
            real.mpz_add(r, u, r);
    }
    answer(j, JOB_IS_NEGATIVE, mpz_sgn(r) < 0);
    mpz_tdiv_q_2exp(r, r, 64 * j->parameter[JOB_SKIP]);
    put(j, 0, r);
    mpz_clear(r);
}

/* ---- radix conversion */

struct radix_kind {
    unsigned base, characters;
};

static struct radix_kind radix_kind(void) {
    static const unsigned some[] = {10, 10, 10, 3, 7, 25, 36, 62, 255, 85, 86, 6, 100};
    unsigned base = some[testing_below(sizeof some / sizeof *some)];
    while (one_of(4) || (base & (base - 1)) == 0)
        base = 3 + (unsigned)testing_below(253);
    return (struct radix_kind){base, base > 62   ? TEXT_VALUES
                                     : base > 36 ? TEXT_LARGE * (unsigned)testing_below(2)
                                                 : (unsigned)testing_below(3)};
}

/* Returns the number of digits of a number of about n limbs: random, or near the number from which
 * the recursive conversion needs one level more. */
static size_t radix_count(size_t n, unsigned base) {
    const size_t digits = calc_cut_plan(base, 64).digits * (1 + n * 2 / RADIX_LEAF_WORDS);
    const struct calc_cut cut = calc_cut_plan(base, digits);
    return one_of(2) ? ((size_t)cut.digits << cut.levels) - 2 + testing_below(5)
                     : digits + testing_below(digits);
}

/* Sets x to base^digits or one of its neighbours, or to a random number of at most this many
 * digits. */
static void set_digits(mpz_ptr x, unsigned base, size_t digits) {
    real.mpz_ui_pow_ui(x, base, digits);
    if (!one_of(2))
        mpz_urandomm(x, *testing_random(), x);
    step(x);
    mpz_setbit(x, 0);
}

static void make_get_str(struct composite_case *c, size_t n, unsigned variant) {
    const struct radix_kind kind = radix_kind();
    struct radix_job_first *first = take_bytes(c, sizeof *first);
    enum outcome outcome;
    mpz_t x;
    (void)variant;
    mpz_init(x);
    do {
        if (one_of(3))
            set_random(x, ++n);
        else
            set_digits(x, kind.base, radix_count(n++, kind.base));
        outcome = radix_job_to_text(&c->job, first, (unsigned char *)&anywhere, mpz_limbs_read(x),
                                    mpz_size(x), kind.base, kind.characters);
    } while (outcome != OUTCOME_DONE);
    c->job.u[0].host = take_mpz(c, x);
    mpz_clear(x);
}

static void gmp_get_str(struct job *j) {
    const unsigned base = (unsigned)j->parameter[JOB_RADIX];
    unsigned char *text = (unsigned char *)j->r[0].host, *digits = malloc(j->r[0].n + 2);
    mpz_t u, copy;
    view(u, &j->u[0]);
    mpz_init_set(copy, u); /* mpn_get_str changes it */
    const size_t n = real.mpn_get_str(digits, (int)base, copy->_mp_d, (mp_size_t)mpz_size(copy));
    ck_assert(n == j->r[0].n || n + 1 == j->r[0].n);
    for (size_t i = 0; i < n; i++)
        text[i] = (unsigned char)text_character(digits[i], (uint32_t)j->parameter[JOB_CHARACTERS]);
    answer(j, JOB_IS_SHORTER, n < j->r[0].n);
    mpz_clear(copy);
    free(digits);
}

/* Sets sp to runs of zeros, of the highest digit and of random digits.  Sometimes replaces one by
 * an invalid character. */
static void fill_digits(unsigned char *sp, size_t n, struct radix_kind kind) {
    size_t i = 0;
    while (i < n) {
        const unsigned long run = testing_below(3);
        for (size_t k = 1 + testing_below(1000); k > 0 && i < n; k--, i++)
            sp[i] = (unsigned char)text_character(run == 0   ? 0
                                                  : run == 1 ? kind.base - 1
                                                             : (uint32_t)testing_below(kind.base),
                                                  kind.characters);
    }
    /* the conversion must accept upper and lower case */
    if (kind.characters == TEXT_SMALL && one_of(2))
        sp[n / 2] = (unsigned char)toupper(sp[n / 2]);
    if (one_of(6))
        sp[testing_below(n)] = kind.characters == TEXT_VALUES ? 255 : one_of(2) ? '!' : '\n';
}

static void make_set_str(struct composite_case *c, size_t n, unsigned variant) {
    const struct radix_kind kind = radix_kind();
    struct radix_job_first *first = take_bytes(c, sizeof *first);
    enum outcome outcome;
    (void)variant;
    do {
        const size_t digits = radix_count(n++, kind.base);
        unsigned char *sp = malloc(digits);
        fill_digits(sp, digits, kind);
        outcome = radix_job_of_text(&c->job, first, &anywhere, SIZE_MAX, sp, digits, kind.base,
                                    kind.characters);
        if (outcome == OUTCOME_DONE)
            c->job.u[0].host = memcpy(take_bytes(c, digits), sp, digits);
        free(sp);
    } while (outcome != OUTCOME_DONE);
}

static void gmp_set_str(struct job *j) {
    const unsigned base = (unsigned)j->parameter[JOB_RADIX];
    const unsigned char *text = (const unsigned char *)j->u[0].host;
    unsigned char *digits = malloc(j->u[0].n);
    size_t n = 0;
    for (size_t i = 0; i < j->u[0].n; i++) {
        const uint32_t value = text_value(text[i], base, (uint32_t)j->parameter[JOB_CHARACTERS]);
        answer(j, JOB_IS_NO_NUMBER, value >= base);
        if (n > 0 || value > 0)
            digits[n++] = (unsigned char)value;
    }
    mpz_t x;
    mpz_init2(x, 64 * (j->r[0].n + 2));
    if (n > 0 && !(j->answer & JOB_IS_NO_NUMBER))
        x->_mp_size = (int)real.mpn_set_str(x->_mp_d, digits, n, (int)base);
    x->_mp_size = (int)normalize(x->_mp_d, (size_t)x->_mp_size);
    put(j, 0, x);
    mpz_clear(x);
    free(digits);
}

/* ---- product trees */

enum { TREE_GROUPS = 5 };

static mp_ptr take_factors(struct composite_case *c, size_t n) {
    const unsigned long kind = testing_below(4);
    mp_ptr p = take(c, n);
    testing_limbs(p, n);
    for (size_t i = 0; i < n; i++)
        p[i] = kind == 0 ? ~(mp_limb_t)0 : kind == 1 ? 1 : p[i] >> testing_below(64) | 1;
    return p;
}

static void make_product_tree(struct composite_case *c, size_t n, unsigned variant) {
    struct limb_group groups[TREE_GROUPS];
    struct limb_tree t = {.groups = groups, .count = 1 + (unsigned)testing_below(TREE_GROUPS)};
    (void)variant;
    if (one_of(2)) {
        t.start_n = testing_size(50);
        t.start = take_number(c, t.start_n);
    }
    for (unsigned i = 0; i < t.count; i++) {
        const size_t size = i == 0 ? n : one_of(4) ? 0 : testing_size(n);
        const size_t alloc = one_of(2) ? limb_tree_alloc(at_least(size, 1)) : size;
        groups[i] = (struct limb_group){take_factors(c, alloc), size, alloc, one_of(2)};
    }
    ck_assert(limb_tree_open(&t));
    c->job = limb_tree_job(&t, &anywhere);
    take_operands(c, 0);
    limb_tree_close(&t);
}

/* Multiplies x by n limbs, of which limb i is p[i stride]. */
static void multiply(mpz_ptr x, mp_srcptr p, size_t n, size_t stride) {
    if (n > 20) {
        mpz_t y;
        mpz_init_set_ui(y, 1);
        multiply(y, p, n / 2, stride);
        multiply(x, p + n / 2 * stride, n - n / 2, stride);
        real.mpz_mul(x, x, y);
        mpz_clear(y);
        return;
    }
    for (size_t i = 0; i < n; i++)
        real.mpz_mul_ui(x, x, p[i * stride]);
}

static void gmp_product_tree(struct job *j) {
    const struct calc_tree_group *groups = (const void *)j->u[2].host;
    const size_t columns = j->u[1].n, rows = (size_t)1 << j->parameter[JOB_LEVELS];
    mpz_t x, start;
    mpz_init_set_ui(x, 1);
    if (j->operands > 3) {
        view(start, &j->u[3]);
        mpz_set(x, start);
    }
    for (size_t i = 0; i < j->u[2].n / JOB_GROUP_LIMBS; i++) {
        if (groups[i].is_squared)
            real.mpz_mul(x, x, x);
        for (size_t k = 0; k < groups[i].columns; k++)
            multiply(x, j->u[0].host + groups[i].first + k, rows, columns);
    }
    put(j, 0, x);
    mpz_clear(x);
}

/* ---- views of the Mandelbrot set */

/* Sets *x to a number from -4 to 4, divided by 2^shift. */
static void set_coordinate(union mandelbrot_number *x, unsigned words, unsigned shift) {
    const double d = ((double)testing_below(1 << 29) / (1 << 26) - 4) / (1 << shift);
    const int32_t floor = (int32_t)(d + 4) - 4;
    if (words == 0) {
        x->real = d;
        return;
    }
    x->fixed[words - 1] = (uint32_t)floor;
    x->fixed[words - 2] = (uint32_t)((d - floor) * 4294967296.0);
    x->fixed[0] = (uint32_t)testing_below(UINT32_MAX);
}

/* Makes a view of at most n pixels: few rows, few columns, or none. */
static void make_mandelbrot(struct composite_case *c, size_t n, unsigned variant) {
    static const unsigned words[] = {0, 4, 6, 8};
    const uint32_t pixels = n < 3000 ? (uint32_t)n : 3000,
                   across = 1 + (uint32_t)testing_below(pixels);
    struct mandelbrot_view *v = take_bytes(c, sizeof *v);
    (void)variant;
    v->words = words[testing_below(4)];
    set_coordinate(&v->left, v->words, 1);
    set_coordinate(&v->top, v->words, 1);
    set_coordinate(&v->step, v->words, 5);
    v->width = across;
    v->rows = one_of(8) ? 0 : pixels / across;
    v->first_row = (uint32_t)testing_below(100);
    v->most = (uint32_t)testing_below(300);
    const uint64_t bytes = (uint64_t)v->width * v->rows * sizeof(uint32_t);
    c->job.operands = 1;
    c->job.results = 2;
    c->job.u[0] = job_limbs((const uint64_t *)v, MANDELBROT_LIMBS);
    c->job.r[0] = c->job.r[1] = job_text(&anywhere, bytes);
}

static void gmp_mandelbrot(struct job *j) {
    mandelbrot_host((const struct mandelbrot_view *)j->u[0].host, (uint32_t *)j->r[0].host,
                    (uint32_t *)j->r[1].host);
}

/* ---- all operations */

static void make(struct composite_case *c, size_t n, unsigned variant) {
    switch (c->job.op) {
#define LIMBS(name, what)                                                                          \
    case JOB_##name:                                                                               \
        make_on_limbs(c, n, variant);                                                              \
        break;
#define COMPOSITE(name, longest)                                                                   \
    case JOB_##name:                                                                               \
        make_##name(c, n, variant);                                                                \
        break;
#include "lib/job/ops.def"
    default:
        ck_abort_msg("no operation");
    }
}

static void compute_by_gmp(struct job *j) {
    switch (j->op) {
#define LIMBS(name, what)                                                                          \
    case JOB_##name:                                                                               \
        ck_assert(gmp_##name(j));                                                                  \
        break;
#define COMPOSITE(name, longest)                                                                   \
    case JOB_##name:                                                                               \
        gmp_##name(j);                                                                             \
        break;
#include "lib/job/ops.def"
    default:
        ck_abort_msg("no operation");
    }
}

/* ---- memory */

enum { AROUND = 4 * sizeof(mp_limb_t), PATTERN = 0xa5 };

static void make_block(struct composite_block *b, size_t bytes, bool is_operand) {
    b->bytes = bytes + 2 * AROUND;
    b->is_operand = is_operand;
    b->memory = malloc(b->bytes);
    b->before = malloc(b->bytes);
    b->right = malloc(b->bytes);
    ck_assert(b->memory && b->before && b->right);
    memset(b->before, PATTERN, b->bytes);
}

/* Returns the index of the first operand that has the same limbs in memory as operand k. This is k
 * itself if no earlier operand has these limbs. */
static unsigned place_of(const struct job *j, unsigned k) {
    for (unsigned i = 0; i < k; i++)
        if (j->u[i].host == j->u[k].host && j->u[i].n == j->u[k].n)
            return i;
    return k;
}

/* Chooses for each result k the index of a memory block, and the result's offset in bytes in that
 * block.  With JOB_CASE_IN_PLACE, the block is the block of an operand. */
static void choose_places(const struct job *j, unsigned variant, unsigned *block, size_t *at) {
    const unsigned shift = (unsigned)testing_below(j->operands);
    for (unsigned k = 0; k < j->results; k++) {
        const bool is_in_place = variant & JOB_CASE_IN_PLACE && k < j->operands;
        block[k] = is_in_place ? place_of(j, (k + shift) % j->operands) : JOB_OPERANDS + k;
        at[k] = is_in_place && one_of(2) ? testing_below(4) * sizeof(mp_limb_t) : 0;
        if (k == 1 && block[1] == block[0])
            block[k] = JOB_OPERANDS + k;
    }
}

static void place_operands(struct composite_case *c, const unsigned *block, const size_t *at) {
    for (unsigned k = 0; k < c->right.operands; k++) {
        struct job_ref *u = &c->job.u[k];
        const unsigned place = place_of(&c->right, k);
        struct composite_block *b = &c->block[place];
        size_t bytes = job_bytes(u);
        for (unsigned i = 0; i < c->job.results; i++)
            if (block[i] == k && c->job.r[i].count > 0)
                bytes = at_least(bytes, at[i] + job_bytes(&c->job.r[i]));
        if (place == k) {
            make_block(b, bytes, true);
            memcpy(b->before + AROUND, u->host, job_bytes(u));
        }
        u->host = (uint64_t *)(void *)(b->memory + AROUND);
    }
}

static void place_results(struct composite_case *c, const unsigned *block, const size_t *at) {
    for (unsigned k = 0; k < c->job.results; k++) {
        struct composite_block *b = &c->block[block[k]];
        if (c->job.r[k].count == 0)
            continue;
        if (!b->memory)
            make_block(b, job_bytes(&c->job.r[k]), false);
        c->job.r[k].host = (uint64_t *)(void *)(b->memory + AROUND + at[k]);
        c->right.r[k].host = (uint64_t *)(void *)(b->right + AROUND + at[k]);
    }
}

void composite_case_make(struct composite_case *c, enum job_op op, size_t n, unsigned variant) {
    unsigned block[JOB_RESULTS];
    size_t at[JOB_RESULTS];
    *c = (struct composite_case){.job.op = op};
    is_plain = variant & COMPOSITE_CASE_PLAIN;
    make(c, n, variant);
    c->right = c->job;
    choose_places(&c->job, variant, block, at);
    place_operands(c, block, at);
    place_results(c, block, at);
    for (unsigned i = 0; i < JOB_OPERANDS + JOB_RESULTS; i++)
        if (c->block[i].memory) {
            memcpy(c->block[i].memory, c->block[i].before, c->block[i].bytes);
            memcpy(c->block[i].right, c->block[i].before, c->block[i].bytes);
        }
    ck_assert_msg(job_fits(&c->job), "%s: a case that does not fit", job_case_name(op));
    compute_by_gmp(&c->right);
}

void composite_case_seed(unsigned long seed) {
    gmp_randseed_ui(*testing_random(), seed);
}

void composite_case_free(struct composite_case *c) {
    for (unsigned i = 0; i < JOB_OPERANDS + JOB_RESULTS; i++) {
        free(c->block[i].memory);
        free(c->block[i].before);
        free(c->block[i].right);
    }
    while (c->made_count > 0)
        free(c->made[--c->made_count]);
}

/* ---- checks */

#define EXPECT(c, is_right, ...)                                                                   \
    ((is_right)          ? (void)0                                                                 \
     : (c)->may_be_wrong ? (void)((c)->is_wrong = true)                                            \
                         : ck_abort_msg(__VA_ARGS__))

static void check_bytes(struct composite_case *c, const unsigned char *p,
                        const unsigned char *right, size_t bytes, const char *what) {
    size_t wrong = 0;
    if (memcmp(p, right, bytes) == 0)
        return;
    while (p[wrong] == right[wrong])
        wrong++;
    EXPECT(c, false, "%s of %lu limbs: byte %zu of %zu: %s", job_case_name(c->job.op),
           (unsigned long)c->job.u[0].n, wrong - AROUND, bytes - 2 * AROUND, what);
}

/* Checks a memory block after the job.  If the job was not done, operands and the guard limbs
 * around results must be unchanged; otherwise the block must be as expected. */
static void check_block(struct composite_case *c, const struct composite_block *b, bool has_results,
                        const char *what) {
    if (b->is_operand || has_results) {
        check_bytes(c, b->memory, has_results ? b->right : b->before, b->bytes, what);
        return;
    }
    check_bytes(c, b->memory, b->before, AROUND, what);
    check_bytes(c, b->memory + b->bytes - AROUND, b->before, AROUND, what);
}

/* Returns a mask of the answers (flags such as JOB_CARRY) that must agree with GMP's.  It omits
 * JOB_IS_LESS if the remainder is not wanted: the library may then decide that flag without
 * computing the remainder. */
static uint64_t compared_answers(const struct job *j) {
    uint64_t answers = JOB_IS_NEGATIVE | JOB_IS_SHORTER | JOB_IS_NO_NUMBER | JOB_CARRY;
    if (j->op == JOB_tdiv_qr || j->op == JOB_sqrtrem || j->op == JOB_rootrem)
        answers |= j->parameter[JOB_WANTS];
    return j->op == JOB_tdiv_qr && j->r[JOB_REMAINDER].count == 0 ? answers & ~(uint64_t)JOB_IS_LESS
                                                                  : answers;
}

static void check_answers(struct composite_case *c, const struct job *done, const char *what) {
    const uint64_t compared = compared_answers(done);
    EXPECT(c, (done->answer & compared) == (c->right.answer & compared),
           "%s of %lu limbs: answers %lx, not %lx: %s", job_case_name(done->op),
           (unsigned long)done->u[0].n, (unsigned long)done->answer, (unsigned long)c->right.answer,
           what);
    if (done->op == JOB_tdiv_qr && done->parameter[JOB_WANTS] & done->answer & JOB_IS_LESS)
        EXPECT(c, c->right.answer & JOB_IS_LESS, "tdiv_qr: not less: %s", what);
}

enum outcome composite_case_run(struct composite_case *c, enum outcome (*run)(struct job *job),
                                const char *what) {
    for (unsigned i = 0; i < JOB_OPERANDS + JOB_RESULTS; i++)
        if (c->block[i].memory)
            memcpy(c->block[i].memory, c->block[i].before, c->block[i].bytes);
    c->is_wrong = false;
    struct job job = c->job;
    enum outcome outcome = run(&job);
    if (outcome == OUTCOME_DONE && job.answer & JOB_IS_ABOVE) {
        job.parameter[JOB_IS_SECOND] = true;
        outcome = run(&job);
    }
    const bool is_done = outcome == OUTCOME_DONE;
    if (is_done)
        check_answers(c, &job, what);
    for (unsigned i = 0; i < JOB_OPERANDS + JOB_RESULTS; i++)
        if (c->block[i].memory)
            check_block(c, &c->block[i], is_done && !(job.answer & JOB_IS_NO_NUMBER), what);
    return outcome;
}
