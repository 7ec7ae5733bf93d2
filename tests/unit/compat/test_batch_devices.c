/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests functions of mpgpu.h on two devices: those for batches, numbers and product trees. The
 * results must be GMP's, even if one device fails. Each device must compute a part and must not use
 * the other device's memory. tests/unit/job/test_jobs_devices.c tests all operations. */
#include <inttypes.h>
#include <string.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/device/context.h"
#include "lib/gmp/gmp_internal.h"
#include "lib/session/session_device.h"
#include "tests/support/job_cases.h"
#include "tests/support/twins.h"

const struct gpu_backend *const gpu_backends[] = {&twin_backend, NULL};

enum { N = 24, COUNT = 1501, ALL = N * COUNT };

static mp_limb_t *up, *vp, *rp, *right;

static mp_limb_t *limbs(size_t n) {
    mp_limb_t *x = malloc(n * sizeof *x);
    ck_assert_ptr_nonnull(x);
    return x;
}

static void begin(const char *more) {
    char all[256];
    snprintf(all, sizeof all,
             "open:wait,watchdog:0,dispatch:fixed,batch:1,mul:1,device:0+1,%s,log:%lu", more,
             testing_option("MPGPU_TEST_LOG", 0) % 10);
    setenv("MPGPU_CONF", all, 1);
    call_init();
    ck_assert(mpgpu_wait());
    up = limbs(ALL);
    vp = limbs(ALL);
    rp = limbs(2 * ALL);
    right = limbs(2 * ALL);
    for (size_t i = 0; i < COUNT; i++) {
        testing_limbs(up + i * N, N);
        testing_limbs(vp + i * N, N);
        vp[i * N] |= 1;
    }
}

static void end(void) {
    ck_assert_int_eq(twins[0].strays + twins[1].strays, 0);
    free(up);
    free(vp);
    free(rp);
    free(right);
}

static mpgpu_batch *batch(size_t count, size_t n, const mp_limb_t *xp) {
    mpgpu_batch *b = mpgpu_batch_create(count, n);
    ck_assert_ptr_nonnull(b);
    if (xp)
        ck_assert_int_eq(mpgpu_batch_set(b, xp), 0);
    return b;
}

static void destroy(mpgpu_batch *a, mpgpu_batch *b, mpgpu_batch *c) {
    mpgpu_batch_destroy(a);
    mpgpu_batch_destroy(b);
    mpgpu_batch_destroy(c);
}

static bool is_cut; /* batches are expected to be split between both devices */

/* Compares the batch r with the array `right`. */
static void expect(mpgpu_batch *r, const char *what) {
    size_t n = mpgpu_batch_limbs(r), count = mpgpu_batch_count(r);
    if (is_cut)
        ck_assert_msg(mpgpu_batch_on_device(r), "%s is on the host", what);
    ck_assert_int_eq(mpgpu_batch_get(rp, r), 0);
    for (size_t i = 0; i < count * n; i++)
        ck_assert_msg(rp[i] == right[i], "%s: number %zu limb %zu", what, i / n, i % n);
}

static long launches[TWINS];

/* Checks that both devices have launched kernels since the last call of this function, if batches
 * are split. */
static void both(const char *what) {
    for (int i = 0; i < TWINS; i++) {
        ck_assert_msg(!is_cut || twins[i].launches > launches[i], "%s: not on device %d", what, i);
        launches[i] = twins[i].launches;
    }
}

/* Number i of the array p, as an mpz_t. */
#define NUMBER(p, i) MPZ_ROINIT_N((p) + (i)*N, N)

/* ---- operations; tests/unit/job/test_jobs_devices.c tests all of them */

/* Compares an operation with GMP. If `alone` is not negative, it is the number of a device that the
 * library stops using, after the operands were uploaded to both devices. */
static void compare(enum job_op op, unsigned variant, int alone) {
    struct job_case c;
    job_case_make(&c, op, COUNT, N, variant, 1);
    job_case_open(&c);
    if (alone >= 0)
        session_device_leave_alone(session_device((unsigned)alone), "of a test");
    ck_assert_int_eq(batch_task_perform(&c.task), 0);
    job_case_check(&c);
    job_case_close(&c);
    job_case_free(&c);
}

/* Uploads an array of mpz_t and downloads it again. */
static void check_mpz(void) {
    mpgpu_batch *b = batch(COUNT, N, NULL);
    mpz_t *x = malloc(COUNT * sizeof *x);
    for (size_t i = 0; i < COUNT; i++) {
        const mpz_t u = NUMBER(up, i);
        mpz_init_set(x[i], u);
    }
    ck_assert_int_eq(mpgpu_batch_set_mpz(b, x), 0);
    memcpy(right, up, ALL * sizeof *right);
    expect(b, "from mpz_t");
    for (size_t i = 0; i < COUNT; i++)
        mpz_set_ui(x[i], 0);
    ck_assert_int_eq(mpgpu_batch_get_mpz(x, b), 0);
    for (size_t i = 0; i < COUNT; i++) {
        const mpz_t u = NUMBER(up, i);
        ck_assert_msg(mpz_cmp(x[i], u) == 0, "number %zu as mpz_t", i);
        mpz_clear(x[i]);
    }
    free(x);
    mpgpu_batch_destroy(b);
}

/* Checks products of numbers in host memory. Repeats them until both devices have computed a part:
 * a device's thread may start so late that the other device has computed everything. */
static void check_limbs(void) {
    for (size_t i = 0; i < COUNT; i++)
        mpn_mul_n(right + 2 * i * N, up + i * N, vp + i * N, N);
    launches[0] = twins[0].launches;
    launches[1] = twins[1].launches;
    for (int k = 0; k < 50; k++) {
        ck_assert_int_eq(mpgpu_batch_mul_n(rp, up, vp, N, COUNT), 0);
        ck_assert_int_eq(memcmp(rp, right, 2 * ALL * sizeof *rp), 0);
        if (twins[0].launches > launches[0] && twins[1].launches > launches[1])
            break;
    }
    both("limbs");
    /* the call's statistics count the parts of all devices */
    ck_assert_uint_eq(stats_here()->ways[STATS_BATCH], TWINS);
}

START_TEST(on_both) {
    is_cut = true;
    begin("verify:device");
    check_mpz();
    check_limbs();
    end();
}
END_TEST

/* With little device memory, the parts of a batch that is split do not fit; one device must then
 * compute the batch in pieces. */
START_TEST(little_memory) {
    begin("memory:3M");
    compare(JOB_batch_mul, 0, -1);
    compare(JOB_batch_mul, JOB_CASE_SAME, -1);
    compare(JOB_batch_mullo, JOB_CASE_IN_PLACE, -1);
    compare(JOB_batch_sum, JOB_CASE_IN_PLACE, -1);
    end();
}
END_TEST

/* Batches of short numbers are on one device only. They must also work as operands together with
 * batches that are split between two devices. */
START_TEST(few_and_many) {
    begin("verify:device");
    mpgpu_batch *small = batch(COUNT, 1, up), *wide = batch(COUNT, N, NULL);
    mpgpu_batch *c = batch(COUNT, 1, NULL), *v = batch(COUNT, N, vp);
    ck_assert_int_eq(mpgpu_batch_add(c, NULL, small, small), 0);
    for (size_t i = 0; i < COUNT; i++)
        if (2 * up[i] != 0)
            mpn_copyi(right + i * N, vp + i * N, N);
        else
            mpn_zero(right + i * N, N);
    /* `wide` was never set, so its value is 0; the result overwrites this value */
    ck_assert_int_eq(mpgpu_batch_select(wide, c, v, wide), 0);
    expect(wide, "selection by a short batch");
    for (size_t i = 0; i < COUNT; i++)
        right[i] = 2 * up[i];
    expect(c, "the short batch");
    destroy(small, wide, c);
    mpgpu_batch_destroy(v);
    end();
}
END_TEST

/* ---- failures */

/* Each launch on one device fails, and after some failures the library stops using that device. All
 * results must be GMP's; in the end only the other device must be in use. */
START_TEST(one_fails) {
    begin("verify:device");
    mpgpu_batch *u = batch(COUNT, N, up), *v = batch(COUNT, N, vp), *r = batch(COUNT, 2 * N, NULL);
    for (size_t i = 0; i < COUNT; i++)
        mpn_mul_n(right + 2 * i * N, up + i * N, vp + i * N, N);
    ck_assert_int_eq(mpgpu_batch_mul(r, u, v), 0);
    expect(r, "product");
    atomic_store(&twins[_i].launch, GPU_FAILED);
    for (int k = 0; k < 6; k++) {
        ck_assert_int_eq(mpgpu_batch_mul(r, u, v), 0);
        expect(r, "product after a failure");
    }
    unsigned number[SESSION_DEVICES];
    ck_assert_uint_eq(session_devices(number), 1);
    ck_assert_uint_eq(number[0], (unsigned)!_i);
    ck_assert_int_eq(mpgpu_batch_on_device(r), 1);
    destroy(u, v, r);
    end();
}
END_TEST

/* After the library has stopped using a device, a batch on it can still be downloaded. */
START_TEST(one_is_left_alone) {
    begin("verify:device");
    compare(JOB_batch_mul, 0, _i);
    compare(JOB_batch_sum, JOB_CASE_IN_PLACE, _i);
    end();
}
END_TEST

/* Batches on a device that hangs are lost: functions must return MPGPU_LOST for them. Operations on
 * batches in host memory must still work. */
START_TEST(one_hangs) {
    begin("verify:device");
    mpgpu_batch *u = batch(COUNT, N, up), *v = batch(COUNT, N, vp), *r = batch(COUNT, 2 * N, NULL);
    ck_assert_int_eq(mpgpu_batch_mul(r, u, v), 0);
    mpgpu_conf.watchdog = 2;
    atomic_store(&twins[_i].launch, TWIN_HANGS);
    ck_assert_int_eq(mpgpu_batch_mul(r, u, v), MPGPU_LOST);
    mpgpu_conf.watchdog = 0;
    ck_assert_int_eq(mpgpu_batch_set(u, up), 0);
    ck_assert_int_eq(mpgpu_batch_set(v, vp), 0);
    for (size_t i = 0; i < COUNT; i++)
        mpn_mul_n(right + 2 * i * N, up + i * N, vp + i * N, N);
    ck_assert_int_eq(mpgpu_batch_mul(r, u, v), 0);
    expect(r, "product of the other");
    ck_assert_int_eq(mpgpu_batch_on_device(r), 1);
    twin_answer();
    destroy(u, v, r);
    end();
}
END_TEST

/* ---- numbers and trees */

/* Squares a number three times on the queue q and checks the result. Sets *used to the device that
 * the queue has used. */
static void check_queue(mpgpu_queue *q, int *used) {
    mpgpu_number *x = mpgpu_number_create(q);
    mpz_t r, wanted;
    mpz_inits(r, wanted, NULL);
    long before = twins[0].launches;
    const mpz_t u = MPZ_ROINIT_N(up, 600);
    mpz_pow_ui(wanted, u, 8);
    ck_assert_int_eq(mpgpu_number_set_mpz(x, u), 0);
    for (int k = 0; k < 3; k++)
        ck_assert_int_eq(mpgpu_number_mul(x, x, x), 0);
    ck_assert_int_eq(mpgpu_number_get_mpz(r, x), 0);
    ck_assert_int_eq(mpz_cmp(r, wanted), 0);
    *used = twins[0].launches > before ? 0 : 1;
    mpz_clears(r, wanted, NULL);
    mpgpu_number_destroy(x);
}

START_TEST(queues) {
    int first, second;
    begin("verify:device");
    mpgpu_queue *p = mpgpu_queue_create(), *q = mpgpu_queue_create();
    check_queue(p, &first);
    int before = session_bind(first);
    /* Allocates more memory on the first queue's device than the other device has in use. So the
     * second queue chooses the other device. */
    size_t n = context_in_use(!first) / sizeof(mp_limb_t) + 1;
    mp_limb_t *zeros = calloc(n, sizeof *zeros);
    mpgpu_batch *ballast = batch(1, n, zeros);
    free(zeros);
    session_bind(before);
    check_queue(q, &second);
    ck_assert_msg(first != second, "both on device %d: %" PRIu64 " and %" PRIu64 " bytes in use",
                  first, context_in_use(0), context_in_use(1));
    session_device_leave_alone(session_device((unsigned)first), "of a test");
    check_queue(p, &first); /* it moves */
    ck_assert_int_eq(first, second);
    check_queue(q, &second);
    mpgpu_batch_destroy(ballast);
    mpgpu_queue_destroy(p);
    mpgpu_queue_destroy(q);
    end();
}
END_TEST

START_TEST(trees) {
    enum { LEAVES = 300 };
    begin("verify:device");
    mpz_t *x = malloc(LEAVES * sizeof *x), product, r;
    mpz_inits(product, r, NULL);
    mpz_set_ui(product, 1);
    for (size_t i = 0; i < LEAVES; i++) {
        const mpz_t v = NUMBER(vp, i);
        mpz_init_set(x[i], v);
        mpz_mul(product, product, v);
    }
    for (int k = 0; k < 4; k++) {
        mpgpu_tree *t = mpgpu_tree_create(x, LEAVES);
        ck_assert_ptr_nonnull(t);
        ck_assert_int_eq(mpgpu_tree_root(r, t), 0);
        ck_assert_int_eq(mpz_cmp(r, product), 0);
        mpgpu_tree_destroy(t);
    }
    for (size_t i = 0; i < LEAVES; i++)
        mpz_clear(x[i]);
    mpz_clears(product, r, NULL);
    free(x);
    end();
}
END_TEST

int main(void) {
    setenv("POCL_DEVICES", "basic", 0); /* tests/unit/fault/fault_devices.h */
    return twins_main("batch_devices", TESTS(ONCE(on_both), ONCE(little_memory), ONCE(few_and_many),
                                             LOOP(one_fails, 2), LOOP(one_is_left_alone, 2),
                                             LOOP(one_hangs, 2), ONCE(queues), ONCE(trees)));
}
