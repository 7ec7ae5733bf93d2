/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Modular batches, gcds, inverses and quotients of batches on a device that fails: whatever an
 * operation says it has done is GMP's result.  A life is: open a device, make one operation, close
 * it. */
#include <string.h>

#include "compat/intercept/call.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/gmp/gmp_internal.h"
#include "lib/gmp/real.h"
#include "lib/session/session.h"
#include "tests/support/session_anew.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/fault_lives.h"

const struct gpu_backend *const gpu_backends[] = {&fault_backend, NULL};

/* Of one program for each kind of operation. */
enum { N = 3, COUNT = 4, ALL = N * COUNT };

/* Operands: v some even and some odd, `odd` moduli, dividends of 2 N limbs; and what is right. */
static mp_limb_t u[ALL], v[ALL], odd[ALL], wide[2 * ALL], exponent = 0x1234567;
static mp_limb_t product[ALL], power[ALL], gcds[ALL], inverses[ALL], exist[COUNT],
    quotients[2 * ALL], remainders[ALL];

/* ---- numbers */

/* No random numbers of GMP's, before whose first the options have to be there. */
static void fill(mp_limb_t *x, size_t n, mp_limb_t seed) {
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = seed >> 62 == 0 ? ~(mp_limb_t)0 : seed ^ seed >> 29;
    }
}

/* Each has this factor. */
static void multiply_all(mp_limb_t *x, mp_limb_t factor) {
    for (size_t i = 0; i < ALL; i += N)
        x[i + N - 1] = real.__gmpn_mul_1(x + i, x + i, N - 1, factor);
}

static void prepare_operands(void) {
    fill(u, ALL, 1);
    fill(v, ALL, 2);
    fill(odd, ALL, 3);
    fill(wide, 2 * ALL, 4);
    multiply_all(u, 3 * 5 * 7);
    multiply_all(v, 5 * 11);
    for (size_t i = 0; i < COUNT; i++) {
        odd[i * N] |= 1;
        u[i * N] += i < 2; /* some are prime to v */
        v[i * N] ^= (v[i * N] ^ i) & 1;
    }
}

static void put(mp_limb_t *xp, size_t n, mpz_srcptr x) {
    for (size_t k = 0; k < n; k++)
        xp[k] = mpz_getlimbn(x, (mp_size_t)k);
}

static void prepare_modular(size_t i, mpz_ptr r) {
    mpz_t x, y, m, e;
    mpz_roinit_n(x, u + i * N, N);
    mpz_roinit_n(y, v + i * N, N);
    mpz_roinit_n(m, odd + i * N, N);
    mpz_roinit_n(e, &exponent, 1);
    real.mpz_mul(r, x, y);
    real.mpz_mod(r, r, m);
    put(product + i * N, N, r);
    real.mpz_powm(r, x, e, m);
    put(power + i * N, N, r);
}

static void prepare_euclid(size_t i, mpz_ptr r, mpz_ptr q) {
    mpz_t x, y, n;
    mpz_roinit_n(x, u + i * N, N);
    mpz_roinit_n(y, v + i * N, N);
    mpz_roinit_n(n, wide + 2 * i * N, 2 * N);
    real.mpz_gcd(r, x, y);
    put(gcds + i * N, N, r);
    exist[i] = real.mpz_invert(r, x, y) != 0;
    if (exist[i])
        put(inverses + i * N, N, r);
    real.mpz_tdiv_qr(q, r, n, y);
    put(quotients + 2 * i * N, 2 * N, q);
    put(remainders + i * N, N, r);
}

static void prepare(void) {
    mpz_t q, r;
    prepare_operands();
    mpz_inits(q, r, NULL);
    for (size_t i = 0; i < COUNT; i++) {
        prepare_modular(i, r);
        prepare_euclid(i, r, q);
    }
    mpz_clears(q, r, NULL);
    ck_assert(exist[0] + exist[1] > 0 && exist[2] + exist[3] == 0);
}

/* ---- operations */

/* Batches that were lost in this life; may_lose: that is no error. */
static int lost, may_lose;
static const char *name; /* of the operation */

static char *plan_text(void) {
    static char text[160];
    snprintf(text, sizeof text, "%s: call %ld every %ld status %d launch %ld bit %lu", name,
             fault_plan.call, fault_plan.every, fault_plan.status, fault_plan.launch,
             fault_plan.bit);
    return text;
}

static int is_done(int error) {
    ck_assert_msg(error == 0 || (may_lose && error == MPGPU_LOST), "error %d (%s): %s", error,
                  mpgpu_error(), plan_text());
    lost += error != 0;
    return error == 0;
}

static void expect(mpgpu_batch *b, const mp_limb_t *right, const char *what) {
    mp_limb_t got[2 * ALL];
    size_t bytes = mpgpu_batch_count(b) * mpgpu_batch_limbs(b) * sizeof *got;
    if (is_done(mpgpu_batch_get(got, b)))
        ck_assert_msg(memcmp(got, right, bytes) == 0, "%s is wrong: %s", what, plan_text());
}

enum { U, V, W, Q, R, FLAGS, BATCHES };

static mpgpu_batch_modulus *modulus_of(mpgpu_batch *m) {
    is_done(mpgpu_batch_set(m, odd));
    mpgpu_batch_modulus *modulus = mpgpu_batch_modulus_create(m);
    ck_assert_msg(modulus || may_lose, "no modulus (%s): %s", mpgpu_error(), plan_text());
    return modulus;
}

static void multiply(mpgpu_batch *const b[]) {
    mpgpu_batch_modulus *modulus = modulus_of(b[R]);
    if (modulus && is_done(mpgpu_batch_mod_mul(b[R], b[U], b[V], modulus)))
        expect(b[R], product, "product");
    mpgpu_batch_modulus_destroy(modulus);
    expect(b[V], v, "operand");
}

/* In place, as gcds. */
static void raise_to(mpgpu_batch *const b[]) {
    mpgpu_batch_modulus *modulus = modulus_of(b[R]);
    is_done(mpgpu_batch_set(b[FLAGS], &exponent));
    if (modulus && is_done(mpgpu_batch_mod_pow(b[U], b[U], b[FLAGS], modulus)))
        expect(b[U], power, "power");
    mpgpu_batch_modulus_destroy(modulus);
}

static void divide_out(mpgpu_batch *const b[]) {
    if (is_done(mpgpu_batch_gcd(b[V], b[U], b[V])))
        expect(b[V], gcds, "gcd");
    expect(b[U], u, "operand");
}

static void invert(mpgpu_batch *const b[]) {
    if (is_done(mpgpu_batch_mod_inv(b[R], b[FLAGS], b[U], b[V]))) {
        expect(b[R], inverses, "inverse");
        expect(b[FLAGS], exist, "whether there is one");
    }
    expect(b[V], v, "modulus");
}

/* The same with the last number first: an odd modulus in the place where words are spoiled. */
static const mp_limb_t *rotated(const mp_limb_t *x, size_t n) {
    static mp_limb_t to[ALL];
    memcpy(to, x + (COUNT - 1) * n, n * sizeof *to);
    memcpy(to + n, x, (COUNT - 1) * n * sizeof *to);
    return to;
}

static void invert_rotated(mpgpu_batch *const b[]) {
    is_done(mpgpu_batch_set(b[U], rotated(u, N)));
    is_done(mpgpu_batch_set(b[V], rotated(v, N)));
    if (is_done(mpgpu_batch_mod_inv(b[R], b[FLAGS], b[U], b[V]))) {
        expect(b[R], rotated(inverses, N), "inverse");
        expect(b[FLAGS], rotated(exist, 1), "whether there is one");
    }
}

static void divide(mpgpu_batch *const b[]) {
    is_done(mpgpu_batch_set(b[W], wide));
    if (is_done(mpgpu_batch_tdiv_qr(b[Q], b[V], b[W], b[V]))) {
        expect(b[Q], quotients, "quotient");
        expect(b[V], remainders, "remainder");
    }
    expect(b[W], wide, "dividend");
}

static const struct operation {
    const char *name;
    void (*make)(mpgpu_batch *const b[]);
    size_t flags;       /* numbers in b[FLAGS] */
    unsigned long sent; /* operations for the device */
} operations[] = {{"product", multiply, COUNT, 3},
                  {"power", raise_to, 1, 3},
                  {"gcd", divide_out, COUNT, 1},
                  {"inverse", invert, COUNT, 1},
                  {"inverse of another", invert_rotated, COUNT, 1},
                  {"quotient", divide, COUNT, 1}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static const struct operation *op; /* of the test that runs, */
static long calls;                 /* and those of a life without faults */

static void make(void) {
    mpgpu_batch *const b[BATCHES] = {
        mpgpu_batch_create(COUNT, N),     mpgpu_batch_create(COUNT, N),
        mpgpu_batch_create(COUNT, 2 * N), mpgpu_batch_create(COUNT, 2 * N),
        mpgpu_batch_create(COUNT, N),     mpgpu_batch_create(op->flags, 1)};
    lost = 0;
    is_done(mpgpu_batch_set(b[U], u));
    is_done(mpgpu_batch_set(b[V], v));
    op->make(b);
    is_done(mpgpu_batch_set(b[U], u)); /* what was lost is there again */
    expect(b[U], u, "what was set");
    for (int i = 0; i < BATCHES; i++)
        mpgpu_batch_destroy(b[i]);
}

/* ---- lives */

static void live(struct fault_plan plan) {
    begin_life(plan);
    make();
}

static void end_life(void) {
    die();
    check_dead(plan_text());
}

/* Every call would take minutes, and most are the same for all operations: every third one fails,
 * every eighth keeps failing or hangs; MPGPU_TEST_EVERY and MPGPU_TEST_FIRST choose others. */
static long every(long usually) {
    return (long)testing_option("MPGPU_TEST_EVERY", (unsigned long)usually);
}

static long first_call(int i) {
    return opening_calls + 1 + (long)testing_option("MPGPU_TEST_FIRST", (unsigned long)i % 3);
}

/* A life without faults. */
static void begin(int i) {
    setenv("MPGPU_CONF", "open:wait,batch:1,mul:never,sqr:never,add:never", 1);
    fault_plan.real = reals[i / OPERATIONS];
    op = &operations[i % OPERATIONS];
    name = op->name;
    call_init();
    prepare();
    unsigned long sent = call_sent();
    live((struct fault_plan){0});
    ck_assert_uint_eq(call_sent() - sent, op->sent);
    calls = fault_count.calls;
    ck_assert_int_eq(session_faults(), 0);
    printf("%s: %s: %ld calls, %ld of them while it opens\n", fault_plan.real->name, name, calls,
           opening_calls);
}

START_TEST(each_call_fails) {
    begin(_i);
    end_life();
    for (long call = first_call(_i); call <= calls; call += every(3)) {
        live((struct fault_plan){.call = call, .status = statuses[call % STATUSES]});
        ck_assert_int_eq(fault_count.faults, 1);
        end_life();
    }
}
END_TEST

START_TEST(calls_keep_failing) {
    begin(_i);
    end_life();
    keeps_memory = may_lose = 1;
    for (long call = first_call(_i); call <= calls; call += every(8)) {
        live_and_keep_failing(call, make);
    }
}
END_TEST

START_TEST(each_call_hangs) {
    begin(_i);
    end_life();
    keeps_memory = may_lose = 1;
    mpgpu_conf.watchdog = 0.05;
    for (long call = first_call(_i); call <= calls; call += every(8)) {
        live_and_hang(call, make);
    }
}
END_TEST

/* The first word of what a launch makes is wrong: a known answer or a check finds it.  A quotient
 * of a product, in inverses modulo even numbers, may be right all the same. */
START_TEST(each_wrong_launch_is_found) {
    long found = 0, wrong = 0;
    begin(_i);
    long last = fault_count.launches;
    end_life();
    for (long launch = opening_launches + 1; launch <= last; launch++) {
        live((struct fault_plan){.launch = launch, .bit = (unsigned long)launch * 7 % 32});
        wrong++;
        found += session_faults() > 0;
        end_life();
    }
    printf("%s: %ld found of %ld\n", name, found, wrong);
    ck_assert_int_gt(found, 0);
    ck_assert(found == wrong || op->make == invert || op->make == invert_rotated);
}
END_TEST

static void add_tests(TCase *tests) {
    tcase_add_loop_test(tests, each_call_fails, 0, real_count * OPERATIONS);
    tcase_add_loop_test(tests, calls_keep_failing, 0, real_count * OPERATIONS);
    tcase_add_loop_test(tests, each_call_hangs, 0, real_count * OPERATIONS);
    tcase_add_loop_test(tests, each_wrong_launch_is_found, 0, real_count * OPERATIONS);
}

int main(void) {
    session_open_any();
    return run_on_real_backends("modular_fault", add_tests);
}
