/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Digits and levels of radix conversions on the host's kernels: a text to a number and back. */
#include <string.h>

#include "lib/calc/calc_radix.h"
#include "lib/selftest/selftest.h"
#include "tests/kernels/trials.h"

/* Digits; and a fraction made of them alone, so that no reciprocal is wanted. */
struct conversion {
    struct calc_cut cut;
    unsigned char *digits, *text;
    mp_limb_t leaf[CALC_RADIX_LEAF_LIMBS];
    mp_limb_t *number;
    size_t limbs;
    mp_limb_t *fraction; /* of all digits, cut off */
    uint64_t fraction_limbs;
};

static void convert(struct calc *c, void *conversion) {
    struct conversion *k = conversion;
    struct number power[CALC_RADIX_LEVELS + 1];
    const uint64_t n = (uint64_t)k->cut.digits << k->cut.levels, whole = n / 8 * 8;
    struct calc_text text = {.n = n, .whole = whole};
    struct number wrong = calc_take(c, CALC_QUAD);
    struct number leaf = calc_upload(c, k->leaf, CALC_RADIX_LEAF_LIMBS, RADIX_LEAF_WORDS);
    struct number f =
        calc_upload(c, k->fraction, k->fraction_limbs, calc_words(64 * k->fraction_limbs));
    text.bytes = calc_upload(c, k->digits, whole / 8, calc_words(8 * whole));
    memcpy(&text.tail, k->digits + whole, n - whole);
    calc_zero(c, wrong);
    calc_radix_powers(c, &k->cut, power, leaf);
    struct number r = calc_radix_set(c, &k->cut, power, &text, wrong);
    calc_text_demand(c, &k->cut, &text, r, wrong);
    calc_download(c, k->number, r, k->limbs);
    text = (struct calc_text){calc_take(c, calc_words(8 * n)), n, n, 0, TEXT_VALUES};
    calc_need(c, f);
    calc_radix_get(c, &k->cut, power, &text, f);
    calc_text_demand(c, &k->cut, &text, r, number_part(r, 0, 0));
    calc_download_bytes(c, k->text, text.bytes, 0, n);
}

static enum gpu_status work(struct context *s, void *conversion) {
    ck_assert_int_eq(calc_run(s, convert, conversion), GPU_OK);
    return GPU_OK;
}

/* number, and fraction = number / base^n, cut off. */
static void prepare(struct conversion *k, mpz_t number) {
    const size_t n = (size_t)k->cut.digits << k->cut.levels;
    const uint64_t words = calc_radix_fraction_words(&k->cut, k->cut.levels);
    mpz_t power, x;
    mpz_inits(power, x, NULL);
    mpz_ui_pow_ui(power, k->cut.base, k->cut.digits);
    mpz_export(k->leaf, NULL, -1, sizeof *k->leaf, 0, 0, power);
    mpz_set_ui(number, 0);
    for (size_t i = 0; i < n; i++) {
        mpz_mul_ui(number, number, k->cut.base);
        mpz_add_ui(number, number, k->digits[i]);
    }
    mpz_ui_pow_ui(power, k->cut.base, n);
    mpz_mul_2exp(x, number, 32 * words);
    mpz_tdiv_q(x, x, power);
    k->fraction_limbs = (words + 1) / 2;
    k->fraction = calloc(k->fraction_limbs, sizeof *k->fraction);
    mpz_export(k->fraction, NULL, -1, sizeof *k->fraction, 0, 0, x);
    mpz_clears(power, x, NULL);
}

static void compare(unsigned base, uint64_t digits) {
    struct conversion k = {.cut = calc_cut_plan(base, digits)};
    const size_t n = (size_t)k.cut.digits << k.cut.levels;
    mpz_t number, result;
    mpz_inits(number, result, NULL);
    k.digits = malloc(n);
    k.text = malloc(n + 8);
    for (size_t i = 0; i < n; i++)
        k.digits[i] = (unsigned char)(i / 500 % 3 == 1   ? 0
                                      : i / 500 % 3 == 2 ? base - 1
                                                         : testing_below(base));
    prepare(&k, number);
    k.limbs = calc_words(32 * calc_cut_words(&k.cut, k.cut.levels)) / 2;
    k.number = malloc(k.limbs * sizeof *k.number);
    with_device(work, &k);
    mpz_import(result, k.limbs, -1, sizeof *k.number, 0, 0, k.number);
    ck_assert(mpz_cmp(result, number) == 0);
    ck_assert(memcmp(k.text, k.digits, n) == 0);
    mpz_clears(number, result, NULL);
    free(k.digits), free(k.text), free(k.number), free(k.fraction);
}

static enum gpu_status known_answers(struct context *s, void *unused) {
    (void)unused;
    ck_assert_int_eq(selftest_radix(s), GPU_OK);
    return GPU_OK;
}

START_TEST(texts_and_numbers) {
    open_host("auto");
    with_device(known_answers, NULL);
    compare(10, 3000);
    compare(3, 1500);
    compare(255, 1000);
}
END_TEST

void add_radix(TCase *tests) {
    tcase_add_test(tests, texts_and_numbers);
}
