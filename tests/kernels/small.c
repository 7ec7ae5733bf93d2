/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Products inside work-groups, one and many at once, and sums of many, on the host's kernels in
 * both forms, beside GMP's. */
#include <string.h>

#include "kernels/small/small.h"
#include "lib/multiply/small.h"
#include "lib/job/job.h"
#include "lib/job/limbs.h"
#include "lib/operate/batch_run.h"
#include "tests/kernels/host_backend.h"
#include "tests/kernels/trials.h"

/* ---- one product: on the device, in words, and as programs ask for it */

struct product {
    uint32_t *r;
    const uint32_t *u, *v;
    size_t un, vn;
};

static enum gpu_status multiply(struct context *s, void *product) {
    const struct product *p = product;
    struct small_plan plan;
    ck_assert(small_plan_init(&plan, &s->dev.caps, 1, p->un, p->vn));
    ck_assert_int_eq(small_prepare(s, &plan), GPU_OK);
    struct number u = number_up(s, SLOT_U, p->u, p->un), v = number_up(s, SLOT_V, p->v, p->vn);
    struct number r = number_up(s, SLOT_R, NULL, p->un + p->vn);
    ck_assert_int_eq(small_mul(s, &plan, r, u, v), GPU_OK);
    number_down(s, p->r, r);
    return GPU_OK;
}

static void compare_words(size_t un, size_t vn) {
    uint32_t *u = malloc(un * sizeof *u), *v = malloc(vn * sizeof *v);
    struct product p = {malloc((un + vn) * sizeof *p.r), u, v, un, vn};
    testing_words(u, un);
    testing_words(v, vn);
    with_device(multiply, &p);
    check_words(p.r, u, un, v, vn);
    free(u), free(v), free(p.r);
}

static void compare_limbs(size_t un, size_t vn, int is_square) {
    mp_limb_t *up = limbs(un), *vp = limbs(vn), *rp = guarded(un + vn), *right = limbs(un + vn);
    testing_limbs(up, un);
    testing_limbs(vp, vn);
    const mp_limb_t *second = is_square ? up : vp;
    mpn_mul(right, up, un, second, vn);
    ck_assert_int_eq(limbs_mul(rp, up, un, second, vn), OUTCOME_DONE);
    ck_assert_msg(memcmp(rp, right, (un + vn) * sizeof *rp) == 0, "%zu by %zu limbs", un, vn);
    check_guards(rp, un + vn);
    free(up), free(vp), free(right);
}

START_TEST(columns) {
    open_form(_i, "block");
    compare_limbs(1, 1, 0);
    compare_limbs(64, 64, 1);
    compare_limbs(63, 7, 0);
    compare_words(128, 128);
    compare_words(127, 1);
    compare_words(93, 50);
}
END_TEST

/* Full, less than a tile short of it, just more than half full, unbalanced. */
START_TEST(small_transforms) {
    open_form(_i, "block");
    for (unsigned log = SMALL_MIN_LOG; log <= SMALL_MAX_LOG; log++) {
        size_t n = SMALL_DIGITS(log);
        compare_limbs(n / 2, n / 2, 0);
        compare_limbs(n / 2 - 1, n / 2 - 1, 1);
        compare_limbs(n / 4 + 1, n / 4 + 1, 0);
        compare_words(2 * n - 130, 129);
        compare_words(n - 3, n - 1);
    }
}
END_TEST

/* ---- many products */

static void compare_batch(size_t count, size_t n, int low, int is_square) {
    size_t rn = low ? n : 2 * n;
    mp_limb_t *up = limbs(count * n), *vp = limbs(count * n), *rp = guarded(count * rn);
    mp_limb_t *right = limbs(2 * n);
    for (size_t i = 0; i < count; i++) {
        testing_limbs(up + i * n, n);
        testing_limbs(vp + i * n, n);
    }
    struct job job = {.op = low ? JOB_batch_mullo : JOB_batch_mul,
                      .operands = 2,
                      .results = 1,
                      .u = {{.host = up, .count = count, .n = n},
                            {.host = is_square ? up : vp, .count = count, .n = n}},
                      .r = {{.host = rp, .count = count, .n = rn}}};
    ck_assert_int_eq(job_run(&job), OUTCOME_DONE);
    for (size_t i = 0; i < count; i++) {
        mpn_mul_n(right, up + i * n, job.u[1].host + i * n, n);
        ck_assert_msg(memcmp(rp + i * rn, right, rn * sizeof *rp) == 0,
                      "number %zu of %zu of %zu limbs, low %d", i, count, n, low);
    }
    check_guards(rp, count * rn);
    free(up), free(vp), free(right);
}

static enum gpu_status trim(struct context *s, void *unused) {
    (void)s, (void)unused;
    return GPU_OK;
}

static void compare_batches(size_t count, size_t n) {
    for (int kind = 0; kind < 3; kind++) {
        with_device(trim, NULL);
        compare_batch(count, n, kind == 1, kind == 2);
    }
}

START_TEST(batches_of_blocks) {
    static const size_t sizes[][2] = {{300, 1}, {77, 2},  {65, 3},  {33, 4},  {9, 31},
                                      {7, 33},  {5, 63},  {9, 64},  {3, 100}, {3, 129},
                                      {2, 255}, {1, 256}, {3, 300}, {1, 512}};
    open_form(_i, "auto");
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        compare_batches(sizes[i][0], sizes[i][1]);
}
END_TEST

/* What blocks can do at most, where they are asked for. */
START_TEST(largest_blocks) {
    open_form(_i, "block");
    compare_batch(2, 256, 0, 0);
    compare_batch(3, 511, 1, 0);
    compare_batch(2, 512, 1, 0);
}
END_TEST

/* Their check has two forms, they have not. */
START_TEST(batches_of_transforms) {
    static const size_t sizes[] = {257, 512, 513, 1023, 1025, 2047, 2049, 4095, 4096};
    open_form(_i, "auto");
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i += _i ? 4 : 1)
        compare_batches(3 - i / 4, sizes[i]);
}
END_TEST

/* By matrix units of groups, on the device that has them: each program; of the longest a number
 * alone, by low and full products in turn. */
static const size_t group_sizes[] = {257, 768, 1024, 1029, 2048};
START_TEST(batches_of_groups) {
    open_form(1, "auto");
    if (_i < 3)
        compare_batch(2, group_sizes[_i], 1, 0);
    compare_batch(1, group_sizes[_i], _i == 3, 0);
}
END_TEST

/* And without them. */
START_TEST(batches_of_teams) {
    host_has_groups = false;
    open_form(1, "auto");
    compare_batches(3, 257);
    compare_batches(1, 512);
}
END_TEST

/* Where they do nothing the self-test finds it, and the other kernels multiply. */
static enum gpu_status has_no_groups(struct context *s, void *unused) {
    (void)unused;
    ck_assert(!s->dev.caps.matrix_groups);
    return GPU_OK;
}

START_TEST(groups_that_err) {
    host_lazy = "batch_matrix_wide";
    open_form(1, "auto");
    compare_batch(1, 257, 0, 0);
    with_device(has_no_groups, NULL);
}
END_TEST

/* ---- sums of many */

struct batch {
    mp_limb_t *limbs;
    struct batch_store store;
};

static struct batch batch_of(size_t count, size_t n) {
    struct batch b = {.limbs = limbs(count * n)};
    for (size_t i = 0; i < count; i++)
        testing_limbs(b.limbs + i * n, n);
    ck_assert_int_eq(batch_alloc(&b.store, count * n * sizeof *b.limbs), OUTCOME_DONE);
    ck_assert_int_eq(batch_fill(&b.store, b.limbs), OUTCOME_DONE);
    return b;
}

/* As an operand or a result of a job. */
static struct job_ref batch_in_job(const struct batch *b, size_t count, size_t n) {
    return (struct job_ref){.mem = b->store.mem,
                            .count = count,
                            .n = n,
                            .residue = b->store.residue,
                            .has_residue = b->store.is_kept};
}

static void drop(struct batch *b) {
    batch_free(&b->store);
    free(b->limbs);
}

/* Number i of the sum in xp, and what goes on top. */
static mp_limb_t right_sum(mp_limb_t *xp, const struct batch *term, unsigned terms,
                           unsigned negated, size_t i, size_t n) {
    mp_limb_t top = 0;
    mpn_zero(xp, n);
    for (unsigned k = 0; k < terms; k++)
        if (negated >> k & 1)
            top -= mpn_sub_n(xp, xp, term[k % 3].limbs + i * n, n);
        else
            top += mpn_add_n(xp, xp, term[k % 3].limbs + i * n, n);
    return top;
}

static void compare_batch_sum(size_t count, size_t n, unsigned terms, unsigned negated) {
    struct batch r = batch_of(count, n), carries = batch_of(count, 1), term[3];
    struct job job = {.op = JOB_batch_sum,
                      .operands = terms,
                      .results = 2,
                      .r = {batch_in_job(&r, count, n), batch_in_job(&carries, count, 1)}};
    mp_limb_t *right = limbs(n);
    const bool borrows = negated == 2;
    job.parameter[JOB_MINUS] = negated;
    job.parameter[JOB_BORROWS] = borrows;
    for (int k = 0; k < 3; k++)
        term[k] = batch_of(count, n);
    for (unsigned k = 0; k < terms; k++)
        job.u[k] = batch_in_job(&term[k % 3], count, n);
    ck_assert(job_fits(&job));
    ck_assert_int_eq(job_run(&job), OUTCOME_DONE);
    r.store.residue = job.r[0].residue;
    carries.store.residue = job.r[1].residue;
    ck_assert_int_eq(batch_fetch(r.limbs, &r.store, r.store.bytes), OUTCOME_DONE);
    ck_assert_int_eq(batch_fetch(carries.limbs, &carries.store, carries.store.bytes), OUTCOME_DONE);
    for (size_t i = 0; i < count; i++) {
        mp_limb_t top = right_sum(right, term, terms, negated, i, n);
        ck_assert_msg(memcmp(r.limbs + i * n, right, n * sizeof *right) == 0 &&
                          carries.limbs[i] == (borrows ? -top : top),
                      "sum %zu of %zu of %zu limbs, %u terms", i, count, n, terms);
    }
    for (int k = 0; k < 3; k++)
        drop(&term[k]);
    drop(&r), drop(&carries);
    free(right);
}

START_TEST(batches_of_sums) {
    static const size_t sizes[][2] = {{300, 1}, {77, 2},   {65, 5},   {9, 31},   {3, 511},
                                      {2, 513}, {2, 1023}, {3, 1024}, {2, 1025}, {1, 2500}};
    open_form(_i, "auto");
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        compare_batch_sum(sizes[i][0], sizes[i][1], 2, i % 2 ? 2 : 0);
        compare_batch_sum(sizes[i][0], sizes[i][1], 1 + i % BATCH_TERMS, 0x5a);
    }
    compare_batch_sum(5, 100, BATCH_TERMS, 0xff);
}
END_TEST

void add_small(TCase *tests) {
    tcase_add_loop_test(tests, columns, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, small_transforms, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, batches_of_blocks, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, largest_blocks, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, batches_of_transforms, 0, KERNEL_FORMS);
    tcase_add_loop_test(tests, batches_of_groups, 0, sizeof group_sizes / sizeof *group_sizes);
    tcase_add_test(tests, batches_of_teams);
    tcase_add_test(tests, groups_that_err);
    tcase_add_loop_test(tests, batches_of_sums, 0, KERNEL_FORMS);
}
