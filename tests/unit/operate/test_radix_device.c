/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Radix conversions on every backend that has a device, compared with GMP's, with the check on the
 * device and on the host.  MPGPU_TEST_CONVERSIONS random ones each, of up to MPGPU_TEST_LIMBS
 * limbs. */
#include <string.h>

#include "lib/algorithms/radix.h"
#include "lib/calc/calc_text.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/algorithms/radix_job.h"
#include "tests/support/composite.h"

enum { SLACK = 64, LEAF_LIMBS = RADIX_LEAF_WORDS / 2 };

static const enum conf_verify checks[] = {VERIFY_DEVICE, VERIFY_RESIDUE};
enum { CHECKS = sizeof checks / sizeof *checks };

/* Opens the backend of loop i, with its check: in the child of each test. */
static void open_checked(int i) {
    composite_open(backends[i / CHECKS]);
    mpgpu_conf.verify = checks[i % CHECKS];
}

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

/* {sp, n} to a number, beside mpn_set_str's; without the zeros in front, which GMP does not want.
 */
static void compare_set(const unsigned char *sp, size_t n, unsigned base) {
    struct calc_cut cut = calc_cut_plan(base, n);
    size_t most = calc_cut_bits(&cut, n) / 64 + 2, rn = 0, zeros = 0;
    mp_limb_t *rp = guarded(most), *right = limbs(most);
    bool is_number = false;
    enum outcome outcome = radix_job_set(rp, &rn, most, sp, n, base, TEXT_VALUES, &is_number);
    ck_assert_msg(outcome == OUTCOME_DONE, "not done: %zu digits: %d", n, outcome);
    ck_assert(is_number);
    while (zeros < n && sp[zeros] == 0)
        zeros++;
    size_t size = zeros < n ? (size_t)real.mpn_set_str(right, sp + zeros, n - zeros, (int)base) : 0;
    size = normalize(right, size);
    ck_assert_msg(rn == size && (rn == 0 || mpn_cmp(rp, right, (mp_size_t)rn) == 0),
                  "%zu digits to base %u: %zu limbs, not %zu", n, base, rn, size);
    check_guards(rp, most);
    free(right);
}

/* {up, un}, up[un-1] != 0, to digits beside mpn_get_str's, and back. */
static void compare_get(const mp_limb_t *up, size_t un, unsigned base) {
    size_t most = mpn_sizeinbase(up, (mp_size_t)un, (int)base) + 2, n = 0;
    unsigned char *sp = bytes(most), *right = bytes(most);
    mp_limb_t *copy = limbs(un + 1);
    enum outcome outcome = radix_job_get(sp, &n, up, un, base, TEXT_VALUES);
    ck_assert_msg(outcome == OUTCOME_DONE, "not done: %zu limbs: %d", un, outcome);
    mpn_copyi(copy, up, (mp_size_t)un);
    size_t size = real.mpn_get_str(right, (int)base, copy, (mp_size_t)un);
    ck_assert_msg(n == size, "%zu limbs to base %u: %zu digits, not %zu", un, base, n, size);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(sp[i] == right[i], "%zu limbs to base %u: digit %zu of %zu is %u, not %u", un,
                      base, i, n, sp[i], right[i]);
    check_slack(sp, most);
    compare_set(right, size, base);
    free(sp);
    free(right);
    free(copy);
}

static void compare_mpz(mpz_srcptr x, unsigned base) {
    compare_get(mpz_limbs_read(x), mpz_size(x), base);
}

static unsigned random_base(void) {
    static const unsigned some[] = {10, 10, 10, 3, 7, 62, 255, 85, 86, 6, 100};
    unsigned base = some[testing_below(sizeof some / sizeof *some)];
    if (testing_below(4) == 0)
        do
            base = 3 + (unsigned)testing_below(253);
        while ((base & (base - 1)) == 0);
    return base;
}

START_TEST(random_numbers) {
    open_checked(_i);
    size_t most = testing_option("MPGPU_TEST_LIMBS", 1500);
    for (unsigned long k = testing_option("MPGPU_TEST_CONVERSIONS", 12); k > 0; k--) {
        size_t n = LEAF_LIMBS + 2 + testing_size(most);
        mp_limb_t *up = limbs(n);
        testing_limbs(up, n);
        up[n - 1] |= (mp_limb_t)1 << testing_below(64);
        compare_get(up, n, random_base());
        free(up);
    }
}
END_TEST

/* Digits with runs of zeros and of the highest, zeros in front. */
START_TEST(random_texts) {
    open_checked(_i);
    size_t most = 19 * testing_option("MPGPU_TEST_LIMBS", 1500);
    for (unsigned long k = testing_option("MPGPU_TEST_CONVERSIONS", 12); k > 0; k--) {
        size_t n = 700 + testing_size(most), i = testing_below(3) ? 0 : testing_below(n);
        unsigned base = random_base();
        unsigned char *sp = bytes(n);
        memset(sp, 0, n);
        while (i < n) {
            size_t run = 1 + testing_below(n - i < 1000 ? n - i : 1000);
            unsigned kind = (unsigned)testing_below(4);
            for (; run > 0; run--, i++)
                sp[i] = (unsigned char)(kind == 0 ? 0 : kind == 1 ? base - 1 : testing_below(base));
        }
        compare_set(sp, n, base);
        free(sp);
    }
}
END_TEST

/* base^k, one more, one less, and such with zeros and the highest digits inside. */
START_TEST(powers) {
    static const unsigned some[] = {10, 3, 7, 62};
    open_checked(_i);
    for (int k = 0; k < 4; k++) {
        mpz_t x, y;
        mpz_inits(x, y, NULL);
        for (int i = 0; i < 2; i++) {
            unsigned long e =
                660 + testing_below(i ? 13 * testing_option("MPGPU_TEST_LIMBS", 1500) : 3000);
            mpz_ui_pow_ui(x, some[k], e);
            mpz_ui_pow_ui(y, some[k], testing_below(e));
            compare_mpz(x, some[k]);
            mpz_sub_ui(x, x, 1);
            compare_mpz(x, some[k]);
            mpz_add_ui(x, x, 2);
            compare_mpz(x, some[k]);
            mpz_add(x, x, y);
            compare_mpz(x, some[k]);
            mpz_sub(x, x, y);
            mpz_sub(x, x, y);
            compare_mpz(x, some[k]);
        }
        mpz_clears(x, y, NULL);
    }
}
END_TEST

/* Round the numbers of digits at which there is a level more. */
START_TEST(levels) {
    open_checked(_i);
    const struct calc_cut leaf = calc_cut_plan(10, 1);
    size_t most = 1;
    for (struct calc_cut cut = leaf; cut.levels == 0; cut = calc_cut_plan(10, ++most))
        ;
    for (unsigned j = 1; j < 4; j++)
        for (size_t n = ((most - 1) << j) - 2; n < ((most - 1) << j) + 4; n++) {
            mpz_t x;
            mpz_init(x);
            mpz_ui_pow_ui(x, 10, n);
            mpz_urandomm(x, *testing_random(), x);
            mpz_setbit(x, (n - 1) * 332 / 100);
            compare_mpz(x, 10);
            mpz_ui_pow_ui(x, 10, n);
            compare_mpz(x, 10);
            mpz_sub_ui(x, x, 1);
            compare_mpz(x, 10);
            mpz_clear(x);
        }
}
END_TEST

/* All ones, and one bit. */
START_TEST(bits) {
    open_checked(_i);
    const size_t sizes[] = {18, 31, 32, 33, 64, 65, 500, 1001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t n = sizes[i];
        mp_limb_t *up = limbs(n);
        memset(up, 0xff, n * sizeof *up);
        compare_get(up, n, 10);
        compare_get(up, n, 3);
        memset(up, 0, n * sizeof *up);
        up[n - 1] = 1;
        compare_get(up, n, 10);
        compare_get(up, n, 255);
        free(up);
    }
}
END_TEST

/* Characters of all kinds, and one that is no digit. */
START_TEST(characters) {
    open_checked(_i);
    static const struct {
        unsigned base, kind;
    } kinds[] = {{10, TEXT_SMALL}, {10, TEXT_LARGE}, {36, TEXT_SMALL},
                 {36, TEXT_LARGE}, {62, TEXT_LARGE}, {25, TEXT_SMALL}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const unsigned base = kinds[i].base;
        const size_t un = 700, most = 64 * un;
        mp_limb_t *up = limbs(un), *rp = guarded(un + 1);
        unsigned char *sp = bytes(most), *right = bytes(most);
        size_t n, rn;
        bool is_number;
        mpz_t u = MPZ_ROINIT_N(up, (mp_size_t)un);
        mpz_t x;
        testing_limbs(up, un);
        up[un - 1] |= 2;
        mpz_init_set(x, u);
        real.mpz_get_str((char *)right,
                         kinds[i].kind == TEXT_SMALL ? (int)base
                         : base > 36                 ? (int)base
                                                     : -(int)base,
                         x);
        ck_assert_int_eq(radix_job_get(sp, &n, up, un, base, kinds[i].kind), OUTCOME_DONE);
        ck_assert(n == strlen((char *)right) && memcmp(sp, right, n) == 0);
        ck_assert_int_eq(radix_job_set(rp, &rn, un + 1, sp, n, base, kinds[i].kind, &is_number),
                         OUTCOME_DONE);
        ck_assert(is_number && rn == un && mpn_cmp(rp, up, un) == 0);
        sp[testing_below(n)] = base < 36 ? (unsigned char)text_character(base, TEXT_SMALL) : '!';
        ck_assert_int_eq(radix_job_set(rp, &rn, un + 1, sp, n, base, kinds[i].kind, &is_number),
                         OUTCOME_DONE);
        ck_assert(!is_number);
        check_guards(rp, un + 1);
        mpz_clear(x);
        free(up);
        free(sp);
        free(right);
    }
}
END_TEST

/* The digits that the highest bits of x promise, beside those that it has. */
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

/* Sizes of numbers and of cuts, for all bases. */
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

/* Of all bytes those alone have a value that a text of these digits has, each its own. */
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

/* Which values of `verify` leave a conversion to GMP: all of it, or nothing. */
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

/* The host's check finds a digit, a limb or a character that is wrong, if it is asked for. */
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
        /* A zero in front, which a program may write, and the device may not. */
        const mp_limb_t one = 1;
        const unsigned char *zero = (const unsigned char *)"01";
        ck_assert_int_eq(radix_verify(zero, 2, 10, TEXT_SMALL, &one, 1), OUTCOME_DONE);
        ck_assert_int_eq(radix_verify(zero, 2, 10, TEXT_SMALL | TEXT_EXACT, &one, 1), found);
        /* The same number, but z is no digit in base 61. */
        const mp_limb_t ten = 61;
        ck_assert_int_eq(radix_verify((const unsigned char *)"10", 2, 61, TEXT_LARGE, &ten, 1),
                         OUTCOME_DONE);
        ck_assert_int_eq(radix_verify((const unsigned char *)"0z", 2, 61, TEXT_LARGE, &ten, 1),
                         found);
    }
    free(up);
    free(sp);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, exact_characters);
    tcase_add_loop_test(tests, sizes, 0, 2);
    tcase_add_loop_test(tests, who_converts, 0, backend_count);
    tcase_add_loop_test(tests, host_check, 0, backend_count);
    tcase_add_loop_test(tests, random_texts, 0, CHECKS * backend_count);
    tcase_add_loop_test(tests, random_numbers, 0, CHECKS * backend_count);
    tcase_add_loop_test(tests, powers, 0, CHECKS * backend_count);
    tcase_add_loop_test(tests, levels, 0, CHECKS * backend_count);
    tcase_add_loop_test(tests, bits, 0, CHECKS * backend_count);
    tcase_add_loop_test(tests, characters, 0, CHECKS * backend_count);
}

int main(void) {
    return composite_tests("radix conversions on the device", add);
}
