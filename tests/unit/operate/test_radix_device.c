/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests conversions between numbers and text in any base: lengths of texts, characters, whether the
 * device or GMP converts, the host's check, and rounded digits of mpf_t.
 * tests/unit/job/test_composites.c compares conversions with GMP's. */
#include <string.h>

#include "lib/algorithms/radix.h"
#include "lib/algorithms/radix_job.h"
#include "lib/algorithms/text/text_float.h"
#include "lib/calc/calc_text.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "tests/support/composite.h"

enum { SLACK = 64 };

static void *bytes(size_t n) {
    void *p = malloc(n + SLACK);
    ck_assert(p);
    memset(p, 0xee, n + SLACK);
    return p;
}

static void check_slack(const unsigned char *p, size_t n) {
    for (size_t i = 0; i < SLACK; i++)
        ck_assert_int_eq(p[n + i], 0xee);
}

/* Checks that calc_cut_digits predicts the number of digits from the highest 64 bits of x, with an
 * error of at most 1. */
static void check_digits(mpz_srcptr x, unsigned base, uint64_t digits) {
    uint64_t least, most, bits = mpz_sizeinbase(x, 2);
    mpz_t top;
    mpz_init(top);
    if (bits > 64)
        mpz_tdiv_q_2exp(top, x, bits - 64);
    else
        mpz_mul_2exp(top, x, 64 - bits);
    calc_cut_digits(base, mpz_getlimbn(top, 0), bits, &least, &most);
    ck_assert_msg(least <= digits && digits <= most && most <= least + 1,
                  "base %u: %lu to %lu digits, not %lu", base, least, most, digits);
    mpz_clear(top);
}

/* Tests the plan by which a number is cut into parts, and the predicted numbers of digits and bits,
 * for all bases below 256 but powers of 2. */
START_TEST(sizes) {
    mpz_t x;
    mpz_init(x);
    for (unsigned base = 3; base < 256; base++) {
        uint64_t e = 1 + testing_below(_i ? 20000 : 100);
        if ((base & (base - 1)) == 0)
            continue;
        struct calc_cut cut = calc_cut_plan(base, e);
        ck_assert_int_le(calc_cut_bits(&cut, cut.digits), 32 * RADIX_LEAF_WORDS);
        ck_assert_int_ge((uint64_t)cut.digits << cut.levels, e);
        ck_assert_int_lt(((uint64_t)cut.digits << cut.levels) - e, (uint64_t)1 << cut.levels);
        ck_assert_int_eq(cut.head + (cut.chunks - 1) * cut.per, cut.digits);
        ck_assert(cut.head >= 1 && cut.head <= cut.per);
        mpz_ui_pow_ui(x, base, e);
        check_digits(x, base, e + 1);
        mpz_sub_ui(x, x, 1);
        check_digits(x, base, e);
        ck_assert_int_eq(calc_cut_bits(&cut, e), mpz_sizeinbase(x, 2));
    }
    mpz_clear(x);
}
END_TEST

/* With TEXT_EXACT, text_value must accept exactly the characters that the library itself writes in
 * this base, and must return the value of each. */
START_TEST(exact_characters) {
    static const uint32_t bases[] = {2, 10, 11, 36, 37, 62};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        for (uint32_t kind = bases[i] > 36 ? TEXT_LARGE : TEXT_SMALL; kind <= TEXT_LARGE; kind++) {
            uint32_t right[256];
            for (uint32_t c = 0; c < 256; c++)
                right[c] = TEXT_NONE;
            for (uint32_t d = 0; d < bases[i]; d++)
                right[text_character(d, kind)] = d;
            for (uint32_t c = 0; c < 256; c++) {
                const uint32_t value = text_value(c, bases[i], kind | TEXT_EXACT);
                ck_assert_msg(right[c] == TEXT_NONE ? value >= bases[i] : value == right[c],
                              "byte %u in base %u", c, bases[i]);
            }
        }
}
END_TEST

/* Tests for which values of the option `verify` the device converts. For the others, radix_get and
 * radix_set must leave the conversion to GMP. */
START_TEST(who_converts) {
    composite_open(backends[_i]);
    const size_t un = 100, most = radix_digits(10, un);
    mp_limb_t *up = limbs(un), *rp = guarded(un + 1);
    unsigned char *sp = bytes(most);
    testing_limbs(up, un);
    up[un - 1] |= 1;
    size_t n = 0;
    for (enum conf_verify verify = VERIFY_OFF; verify <= VERIFY_FULL; verify++) {
        struct composite w = {0};
        mpgpu_conf.verify = verify;
        size_t got = radix_get(&w, sp, up, un, 10, TEXT_VALUES);
        n = got ? got : n;
        size_t rn = radix_set(&w, rp, sp, n, 10, TEXT_VALUES);
        ck_assert_int_eq(w.sent, verify < VERIFY_FULL ? 2 : 0);
        ck_assert_int_eq(w.failed, OUTCOME_DONE);
        ck_assert((got > 0) == (verify < VERIFY_FULL) && rn == (got ? un : 0));
        ck_assert(rn == 0 || mpn_cmp(rp, up, (mp_size_t)un) == 0);
    }
    check_guards(rp, un + 1);
    check_slack(sp, most);
    free(up);
    free(sp);
}
END_TEST

/* If the option `verify` asks for the host's check, it must find a wrong digit, limb or
 * character. */
START_TEST(host_check) {
    composite_open(backends[_i]);
    const size_t un = 1 + testing_below(300), most = radix_digits(62, un);
    mp_limb_t *up = limbs(un);
    unsigned char *sp = bytes(most);
    mpz_t u = MPZ_ROINIT_N(up, (mp_size_t)un);
    testing_limbs(up, un);
    up[un - 1] |= 1;
    real.mpz_get_str((char *)sp, 62, u);
    const size_t n = strlen((char *)sp), limb = testing_below(un);
    unsigned char *digit = sp + testing_below(n), right = *digit;
    const unsigned char wrong[] = {right == '7' ? '8' : '7', '!'};
    for (enum conf_verify verify = VERIFY_OFF; verify <= VERIFY_FULL; verify++) {
        const enum outcome found = verify < VERIFY_RESIDUE ? OUTCOME_DONE : OUTCOME_FAILED;
        mpgpu_conf.verify = verify;
        ck_assert_int_eq(radix_verify(sp, n, 62, TEXT_LARGE, up, un), OUTCOME_DONE);
        for (size_t i = 0; i < sizeof wrong; i++) {
            *digit = wrong[i];
            ck_assert_int_eq(radix_verify(sp, n, 62, TEXT_LARGE, up, un), found);
            *digit = right;
        }
        up[limb]++;
        ck_assert_int_eq(radix_verify(sp, n, 62, TEXT_LARGE, up, un), found);
        up[limb]--;
        ck_assert_int_eq(radix_verify(sp, n, 62, TEXT_LARGE, NULL, 0), found);
        ck_assert_int_eq(radix_verify((const unsigned char *)"1!", 2, 62, TEXT_LARGE, NULL, 0),
                         OUTCOME_DONE);
        /* In a program's text a leading zero is allowed. In a text that the device has made it is
         * an error. */
        const mp_limb_t one = 1;
        const unsigned char *zero = (const unsigned char *)"01";
        ck_assert_int_eq(radix_verify(zero, 2, 10, TEXT_SMALL, &one, 1), OUTCOME_DONE);
        ck_assert_int_eq(radix_verify(zero, 2, 10, TEXT_SMALL | TEXT_EXACT, &one, 1), found);
        /* The text "0z" would have the right value with z = 61, but z is no digit in base 61. */
        const mp_limb_t ten = 61;
        ck_assert_int_eq(radix_verify((const unsigned char *)"10", 2, 61, TEXT_LARGE, &ten, 1),
                         OUTCOME_DONE);
        ck_assert_int_eq(radix_verify((const unsigned char *)"0z", 2, 61, TEXT_LARGE, &ten, 1),
                         found);
    }
    /* after this number of faults the library uses no device, which is not tested here */
    snprintf(mpgpu_conf.backend, sizeof mpgpu_conf.backend, "none");
    free(up);
    free(sp);
}
END_TEST

/* Tests how the host rounds the digits of a mpf_t. The number has `left` random digits, then the
 * highest digit many times, so rounding up leaves `left` digits; for 0, a power of the base. */
START_TEST(rounded_floats) {
    enum { DIGITS = 300, MORE = 20 };
    static const size_t lefts[] = {0, 1, 2, DIGITS - 1};
    char text[DIGITS + MORE + 3] = "0.", right[DIGITS + 2];
    unsigned char value[2 * DIGITS];
    mpf_t u;
    mpf_init2(u, 4 * (DIGITS + MORE));
    for (int base = 3; base <= 10; base++)
        for (size_t i = 0; i < sizeof lefts / sizeof *lefts; i++) {
            struct composite w = {0};
            struct text_float t = {.base = base, .digits = DIGITS, .value = value};
            mp_exp_t exp;
            memset(text + 2, '0' + base - 1, DIGITS + MORE);
            for (size_t k = 0; k < lefts[i]; k++)
                text[2 + k] = (char)('1' + testing_below((uint64_t)base - 2));
            ck_assert_int_eq(real.mpf_set_str(u, text, base), 0);
            real.mpf_get_str(right, &exp, base, DIGITS, u);
            ck_assert_uint_le(text_float_room(base, DIGITS), sizeof value);
            ck_assert(text_float_get(&w, &t, u));
            ck_assert_msg(t.n == strlen(right) && t.exp == exp, "base %d: %zu digits", base, t.n);
            for (size_t k = 0; k < t.n; k++)
                ck_assert_int_eq('0' + value[k], right[k]);
        }
    mpf_clear(u);
}
END_TEST

int main(void) {
    return composite_tests("radix conversions on the device",
                           TESTS(ONCE(exact_characters), ONCE(rounded_floats), LOOP(sizes, 2),
                                 PER_DEVICE(who_converts, 1), PER_DEVICE(host_check, 1)));
}
