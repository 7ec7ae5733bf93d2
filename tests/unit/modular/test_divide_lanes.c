/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests kernels/modular/divide.cl as NVIDIA GPUs run it, where several lanes of a warp share a
 * number. The warp is emulated on the host (tests/unit/modular/warp.h); results are compared with
 * GMP's. For some operands, estimated words of the quotient are too small and carries run far. */
#include <string.h>

#include "kernels/modular/divide.h"
#include "tests/support/testing.h"
#include "tests/unit/modular/divide_lanes.h"

static const struct divide_program *const programs[] = {&divide_8, &divide_16, &divide_32,
                                                        &divide_64, &divide_1024};
enum {
    PROGRAMS = sizeof programs / sizeof *programs,
    COUNT = 37,
    MOST = DIVIDE_MOST_WORDS / 2,
    AROUND = 3
};
static const mp_limb_t untouched = 0x5a5a1234a5a56789;

static mp_limb_t n[(COUNT + 1) * 2 * MOST], d[(COUNT + 1) * MOST],
    q[(COUNT + 1) * 2 * MOST + 2 * AROUND], r[(COUNT + 1) * MOST + 2 * AROUND];

/* ---- operands */

static void any(mpz_ptr x, size_t limbs) {
    mp_limb_t xp[2 * MOST];
    testing_limbs(xp, limbs);
    mpz_import(x, limbs, -1, sizeof *xp, 0, 0, xp);
}

/* Sets x to a divisor of at most `bits` bits, often with long runs of equal bits. */
static void divisor(mpz_ptr x, size_t bits) {
    mp_bitcnt_t own = testing_below(3) ? bits : 1 + testing_below(bits);
    mpz_set_ui(x, 0);
    mpz_setbit(x, own - 1);
    switch (testing_below(6)) {
    case 0: /* 10...0 */
        break;
    case 1: /* 11...1 */
        mpz_mul_2exp(x, x, 1);
        mpz_sub_ui(x, x, 1);
        break;
    case 2: /* 10...01...1 */
        mpz_setbit(x, testing_below(own));
        mpz_sub_ui(x, x, mpz_popcount(x) > 1);
        mpz_setbit(x, own - 1);
        break;
    case 3: /* 1...10...0 */
        mpz_mul_2exp(x, x, 1);
        mpz_setbit(x, testing_below(own));
        mpz_sub_ui(x, x, 1);
        mpz_tdiv_r_2exp(x, x, own);
        mpz_setbit(x, own - 1);
        break;
    default:
        mpz_rrandomb(x, *testing_random(), own);
    }
}

/* Sets x to a quotient of `bits` bits, whose words are 0, 1, all ones or random. */
static void quotient(mpz_ptr x, size_t bits) {
    mpz_set_ui(x, 0);
    for (size_t i = 0; i < bits / 32; i++) {
        unsigned long kind = testing_below(4);
        mpz_mul_2exp(x, x, 32);
        mpz_add_ui(x, x,
                   kind == 0   ? 0
                   : kind == 1 ? 1
                   : kind == 2 ? 0xffffffff
                               : testing_below(1ul << 32));
    }
}

/* Sets x to a dividend of `limbs` limbs: mostly a multiple of the divisor `by`, plus or minus a
 * small multiple of a power of 2^32; otherwise a random number. */
static void dividend(mpz_ptr x, mpz_srcptr by, size_t limbs) {
    const size_t bits = 64 * limbs, own = mpz_sizeinbase(by, 2);
    mpz_t less;
    if (own >= bits || testing_below(6) == 0) {
        any(x, limbs);
        return;
    }
    mpz_init(less);
    quotient(x, bits - own);
    mpz_mul(x, x, by);
    mpz_set_ui(less, testing_below(3));
    mpz_mul_2exp(less, less, 32 * testing_below((bits - own) / 32 + 1));
    if (testing_below(2) && mpz_cmp(x, less) > 0)
        mpz_sub(x, x, less);
    else
        mpz_add(x, x, less);
    mpz_tdiv_r_2exp(x, x, bits);
    mpz_clear(less);
}

static void put(mp_limb_t *to, size_t limbs, mpz_srcptr x) {
    for (size_t k = 0; k < limbs; k++)
        to[k] = mpz_getlimbn(x, (mp_size_t)k);
}

static void fill(const struct divide_launch *l) {
    const size_t un = l->n_words / 2, dn = l->d_words / 2;
    mpz_t x, by;
    mpz_inits(x, by, NULL);
    for (size_t i = 0; i < l->first + l->count; i++) {
        if (i == 0 || l->d_step)
            divisor(by, 64 * dn);
        put(d + l->d_at / 2 + i * l->d_step / 2, dn, by);
        dividend(x, by, un);
        put(n + i * un, un, x);
    }
    mpz_clears(x, by, NULL);
}

/* ---- comparisons */

static void expect(const mp_limb_t *got, mpz_srcptr right, size_t limbs, size_t i,
                   const char *what) {
    mp_limb_t words[2 * MOST];
    put(words, limbs, right);
    ck_assert_msg(mpn_cmp(got, words, (mp_size_t)limbs) == 0, "%s %zu of %zu limbs", what, i,
                  limbs);
}

static void expect_number(const struct divide_launch *l, size_t i) {
    const size_t un = l->n_words / 2, dn = l->d_words / 2;
    mpz_t x, by, of_q, of_r;
    mpz_roinit_n(x, n + i * un, (mp_size_t)un);
    mpz_roinit_n(by, d + l->d_at / 2 + i * l->d_step / 2, (mp_size_t)dn);
    mpz_inits(of_q, of_r, NULL);
    mpz_tdiv_qr(of_q, of_r, x, by);
    if (l->has_q)
        expect(q + AROUND + i * un, of_q, un, i, "quotient");
    if (l->has_r)
        expect(r + AROUND + i * dn, of_r, dn, i, "remainder");
    mpz_clears(of_q, of_r, NULL);
}

/* Checks that the kernel has written only the numbers `first` to first + count - 1, or none if
 * `is_there` is 0. */
static void expect_untouched(const mp_limb_t *x, size_t limbs, const struct divide_launch *l,
                             uint32_t is_there) {
    const size_t begin = AROUND + (is_there ? l->first * limbs : 0);
    const size_t end = is_there ? begin + l->count * limbs : begin;
    for (size_t k = 0; k < 2 * AROUND + (l->first + l->count) * limbs; k++)
        ck_assert_msg((k >= begin && k < end) || x[k] == untouched, "limb %zu of %zu", k, limbs);
}

static void compare(const struct divide_program *p, uint32_t d_words, uint32_t n_words) {
    struct divide_launch l = {.q = (uint32_t *)(q + AROUND),
                              .r = (uint32_t *)(r + AROUND),
                              .n = (uint32_t *)n,
                              .d = (uint32_t *)d,
                              .first = testing_below(2),
                              .count = 1 + testing_below(d_words > 64 ? 4 : COUNT - 1),
                              .n_words = n_words,
                              .d_words = d_words,
                              .has_q = testing_below(4) != 0};
    l.has_r = !l.has_q || testing_below(4);
    l.d_step = testing_below(4) ? d_words : 0;
    l.d_at = testing_below(2) ? d_words : 0;
    fill(&l);
    for (size_t i = 0; i < sizeof q / sizeof *q; i++)
        q[i] = untouched;
    for (size_t i = 0; i < sizeof r / sizeof *r; i++)
        r[i] = untouched;
    p->divide(&l);
    for (size_t i = l.first; i < l.first + l.count; i++)
        expect_number(&l, i);
    expect_untouched(q, l.n_words / 2, &l, l.has_q);
    expect_untouched(r, l.d_words / 2, &l, l.has_r);
}

static uint32_t even_below(uint32_t most) {
    return 2 * (uint32_t)testing_below(most / 2 + 1);
}

START_TEST(every_length) {
    const struct divide_program *p = programs[_i];
    const uint32_t least = p->words == 8 ? 2 : p->words / 2 + 2;
    const uint32_t turns = p->words <= 64 ? 100 : 3;
    for (uint32_t turn = 0; turn < turns; turn++) {
        uint32_t words = least + even_below(p->words - least);
        compare(p, p->words, 2 * p->words);
        compare(p, words, 2 * words);
        compare(p, words, words + even_below(words));
    }
}
END_TEST

int main(void) {
    testing_random();
    return testing_main("divide lanes", 120, TESTS(LOOP(every_length, PROGRAMS)));
}
