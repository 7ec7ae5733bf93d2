/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests sums of words, and operations on redundant digits (24 bits, stored in a word), by the
 * kernels compiled as host C. Compares them with GMP's. The lengths are near multiples of what a
 * work-item and a work-group add; numbers begin at any offset. */
#include <string.h>

#include "kernels/common/carry_resolve.h"
#include "lib/multiply/redundant.h"
#include "tests/kernels/trials.h"

/* ---- u + v and u - v in words; v begins at word v_at of its buffer */

struct sum {
    size_t un, vn, v_at;
    int subtract;
    uint32_t *r, carry;
    const uint32_t *u, *v;
};

static enum gpu_status add_there(struct context *s, void *sum) {
    struct sum *t = sum;
    struct number u = number_above(s, SLOT_U, t->u, t->un);
    struct number v = number_above(s, SLOT_V, t->v, t->v_at + t->vn);
    struct number r = number_above(s, SLOT_R, NULL, t->un);
    v = number_part(v, t->v_at, t->vn);
    ck_assert_int_eq(number_add(s, r, u, v, t->subtract, &t->carry), GPU_OK);
    number_down(s, t->r, r);
    return GPU_OK;
}

static void import(mpz_t to, const uint32_t *x, size_t n) {
    mpz_import(to, n, -1, sizeof *x, 0, 0, x);
}

static void check_sum(const struct sum *t) {
    mpz_t r, u, v;
    mpz_inits(r, u, v, NULL);
    import(r, t->r, t->un);
    import(u, t->u, t->un);
    import(v, t->v + t->v_at, t->vn);
    if (t->carry)
        mpz_setbit(t->subtract ? u : r, 32 * t->un);
    (t->subtract ? mpz_sub : mpz_add)(u, u, v);
    ck_assert_msg(mpz_cmp(r, u) == 0, "%zu, %zu words from %zu on", t->un, t->vn, t->v_at);
    mpz_clears(r, u, v, NULL);
}

/* Adds and subtracts with long carry chains: `fill` makes all words of u ones or zeros except
 * word `stop`, which ends the chain. Negative `fill`: u is random. */
static void compare_stopped(size_t un, size_t vn, size_t v_at, int fill, size_t stop) {
    uint32_t *u = malloc(un * sizeof *u), *v = malloc((v_at + vn) * sizeof *v);
    struct sum t = {.un = un, .vn = vn, .v_at = v_at, .u = u, .v = v};
    testing_words(v, v_at + vn);
    testing_words(u, un);
    if (fill >= 0) {
        memset(u, fill, un * sizeof *u);
        memset(v, 0, (v_at + vn) * sizeof *v);
        v[v_at] = 1;
        if (stop < un)
            u[stop] = 0xfffffffe;
    }
    t.r = malloc(un * sizeof *t.r);
    for (t.subtract = 0; t.subtract < 2; t.subtract++) {
        with_device(add_there, &t);
        check_sum(&t);
    }
    free(u), free(v), free(t.r);
}

static void compare_sums(size_t un, size_t vn, size_t v_at, int fill) {
    compare_stopped(un, vn, v_at, fill, un);
}

START_TEST(sums) {
    open_form(_i, ALGORITHM_AUTO);
    for (size_t n = 1; n < 20; n++)
        compare_sums(n, 1 + testing_below(n), n % 5, -1);
    for (size_t n = 2040; n < 2056; n++)
        compare_sums(n, n - 1, n % 4, n % 3 ? -1 : 0xff);
    compare_sums(20001, 12345, 3, -1);
    compare_sums(20001, 1, 0, 0xff);
    compare_sums(20001, 1, 0, 0);
    for (int i = 0; i < 24; i++)
        compare_stopped(9001, 1, 0, i % 4 ? 0xff : 0, 1500 + testing_below(7501));
    compare_sums(CARRY_SETTLED * CARRY_CHUNK, 9, 0, 0xff);
    /* a sum of this length needs more work-groups than a work-group has work-items */
    compare_sums(526000, 9, 0, 0xff);
}
END_TEST

/* ---- redundant digits: made from words, used in operations, turned into words again */

struct digits {
    size_t un;
    int32_t k;
    const uint32_t *u;
    uint32_t *r; /* the result: {u, un} times 2 and times the field k, modulo 2^(32 (un + 2)) */
};

/* Allocates a number in a separate buffer of exactly its size. */
static struct number room(struct context *s, gpu_mem *mem, uint64_t digits) {
    ck_assert_int_eq(gpu_alloc(&s->dev, number_bytes(digits), mem), GPU_OK);
    return (struct number){*mem, 0, digits};
}

static enum gpu_status work_on_digits(struct context *s, void *context) {
    const struct digits *t = context;
    uint64_t n = redundant_digits(t->un);
    gpu_mem mem[5];
    struct number words = number_above(s, SLOT_U, t->u, t->un), r;
    struct number u = room(s, &mem[0], n), v = room(s, &mem[1], n), w = room(s, &mem[2], n + 2);
    struct number x = room(s, &mem[3], n + 3), y = room(s, &mem[4], n);
    ck_assert_int_eq(redundant_from_words(s, u, words), GPU_OK);
    ck_assert_int_eq(redundant_copy(s, v, u), GPU_OK);
    ck_assert_int_eq(redundant_add(s, y, v, number_part(u, 0, n - n / 3), 0), GPU_OK);
    ck_assert_int_eq(redundant_add(s, v, y, number_part(u, 0, n - n / 3), 1), GPU_OK);
    ck_assert_int_eq(redundant_add(s, v, v, u, 0), GPU_OK); /* in place */
    ck_assert_int_eq(redundant_mul_1(s, w, v, t->k), GPU_OK);
    ck_assert_int_eq(redundant_resolve(s, x, w), GPU_OK);
    r = number_above(s, SLOT_R, NULL, t->un + 2);
    ck_assert_int_eq(redundant_to_words(s, r, x), GPU_OK);
    number_down(s, t->r, r);
    for (int i = 0; i < 5; i++)
        gpu_release(&s->dev, mem[i]);
    return GPU_OK;
}

static void compare_digits(size_t un, int32_t k) {
    uint32_t *u = malloc(un * sizeof *u), *r = malloc((un + 2) * sizeof *r);
    struct digits t = {un, k, u, r};
    mpz_t value, right;
    mpz_inits(value, right, NULL);
    testing_words(u, un);
    with_device(work_on_digits, &t);
    import(value, r, un + 2);
    import(right, u, un);
    mpz_mul_si(right, right, 2 * (long)k);
    mpz_fdiv_r_2exp(right, right, 32 * (un + 2));
    ck_assert_msg(mpz_cmp(value, right) == 0, "%zu words, %d", un, (int)k);
    mpz_clears(value, right, NULL);
    free(u), free(r);
}

START_TEST(redundant_digits_of_any_number) {
    open_form(_i, ALGORITHM_AUTO);
    for (size_t n = 1; n < 30; n++)
        compare_digits(n, n % 2 ? 0xfffff3 : -77);
    compare_digits(3071, 1 << 24);
    compare_digits(3073, -(1 << 24));
    compare_digits(10000, 12345);
}
END_TEST

void add_sums(TCase *tests) {
    tcase_add_loop_test(tests, sums, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, redundant_digits_of_any_number, 0, KERNEL_FORMS);
}
