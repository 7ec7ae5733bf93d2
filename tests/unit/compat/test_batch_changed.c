/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Changes a bit of a batch in device memory. Operations and downloads must then return no value,
 * but MPGPU_LOST. The exception is a modulus object, which is computed again. After a batch is
 * set again it must work as before. */
#include <string.h>

#include "compat/batch/modulus.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/gmp/gmp_internal.h"
#include "lib/transfer/transfer.h"
#include "tests/support/backends.h"

enum { N = 5, COUNT = 7, ALL = N * COUNT };

/* The batches: operands u, odd v, and w of twice the length, exponents e; results r, s of one limb
 * and t of two limbs each. The modulus object m has the numbers of v as moduli. */
static struct {
    mpgpu_batch *u, *v, *w, *r, *s, *t, *e;
    mpgpu_batch_modulus *m;
    mpgpu_expression *x;
} b;

/* ---- operations, and flags for the batches that each operation reads */

enum { OF_U = 1, OF_V = 2, OF_W = 4, OF_S = 8, OF_MODULUS = 16, OF_E = 32 };

static int add(void) {
    return mpgpu_batch_add(b.r, NULL, b.u, b.v);
}
static int add_in_place(void) {
    return mpgpu_batch_add(b.u, NULL, b.u, b.v);
}
static int multiply(void) {
    return mpgpu_batch_mul(b.t, b.u, b.v);
}
static int multiply_low(void) {
    return mpgpu_batch_mullo(b.r, b.u, b.v);
}
static int compare(void) {
    return mpgpu_batch_cmp(b.s, b.u, b.v);
}
static int choose(void) {
    return mpgpu_batch_select(b.r, b.s, b.u, b.v);
}
static int find_gcds(void) {
    return mpgpu_batch_gcd(b.r, b.u, b.v);
}
static int invert(void) {
    return mpgpu_batch_mod_invert(b.r, b.s, b.u, b.m);
}
static int divide(void) {
    return mpgpu_batch_tdiv_qr(b.w, b.r, b.w, b.v);
}
static int reduce(void) {
    return mpgpu_batch_mod(b.r, b.w, b.m);
}
static int multiply_modulo(void) {
    return mpgpu_batch_mod_mul(b.r, b.u, b.v, b.m);
}
static int raise_modulo(void) {
    return mpgpu_batch_mod_pow(b.r, b.u, b.e, b.m);
}
static int evaluate(void) {
    return mpgpu_expression_run(b.x, (mpgpu_batch *[]){b.r, b.t}, (mpgpu_batch *[]){b.u, b.v});
}

static const struct operation {
    const char *name;
    int (*call)(void);
    unsigned reads;
} operations[] = {{"sum", add, OF_U | OF_V},
                  {"sum in place", add_in_place, OF_U | OF_V},
                  {"product", multiply, OF_U | OF_V},
                  {"low product", multiply_low, OF_U | OF_V},
                  {"selection", choose, OF_U | OF_V | OF_S},
                  {"gcd", find_gcds, OF_U | OF_V},
                  {"inverse", invert, OF_U | OF_MODULUS},
                  {"quotient", divide, OF_W | OF_V},
                  {"remainder", reduce, OF_W | OF_MODULUS},
                  {"product modulo m", multiply_modulo, OF_U | OF_V | OF_MODULUS},
                  {"power modulo m", raise_modulo, OF_U | OF_E | OF_MODULUS},
                  {"expression", evaluate, OF_U | OF_V}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* ---- batches */

static mp_limb_t values[2 * ALL];

static mpgpu_batch *batch(size_t n) {
    mpgpu_batch *x = mpgpu_batch_create(COUNT, n);
    ck_assert_ptr_nonnull(x);
    testing_limbs(values, COUNT * n);
    for (size_t i = 0; i < COUNT; i++) {
        values[i * n] |= 1;
        values[i * n + n - 1] |= (mp_limb_t)1 << 40;
    }
    ck_assert_int_eq(mpgpu_batch_set(x, values), 0);
    ck_assert_int_eq(mpgpu_batch_on_device(x), 1);
    return x;
}

static void begin(struct test_backend backend, int verify) {
    use_backend(backend, verify);
    b.u = batch(N);
    b.v = batch(N);
    b.w = batch(2 * N);
    b.r = batch(N);
    b.s = batch(1);
    b.t = batch(2 * N);
    b.e = batch(1);
    ck_assert_ptr_nonnull(b.m = mpgpu_batch_modulus_create(b.v));
    ck_assert_ptr_nonnull(b.x = mpgpu_expression_create(2));
    mpgpu_expression_result(b.x, mpgpu_expression_add(b.x, mpgpu_expression_mullo(b.x, 0, 1), 1));
    mpgpu_expression_result(b.x, mpgpu_expression_sqr(b.x, 0));
    ck_assert_int_eq(mpgpu_expression_finish(b.x), 0);
}

/* ---- changes */

struct change {
    gpu_mem mem;
    size_t words;
};

static enum gpu_status change_there(struct context *s, void *argument) {
    const struct change *c = argument;
    const size_t at = testing_below(c->words) * sizeof(uint32_t);
    uint32_t word;
    enum gpu_status status = transfer_down(s->transfer, &s->queue, &word, c->mem, at, sizeof word);
    word ^= UINT32_C(1) << testing_below(32);
    return status == GPU_OK ? transfer_up(s->transfer, &s->queue, c->mem, at, &word, sizeof word)
                            : status;
}

static void change(const mpgpu_batch *x) {
    struct change c = {x->store.mem, 2 * batch_size(x)};
    ck_assert_int_eq(x->where, BATCH_ON_DEVICE);
    ck_assert_int_eq(session_run(change_there, &c, sizeof c, 0), OUTCOME_DONE);
}

static void expect_lost(int error, const char *name, const char *what) {
    ck_assert_msg(error == MPGPU_LOST, "%s, %s has changed: code %d", name, what, error);
    ck_assert_ptr_nonnull(strstr(mpgpu_error(), "lost"));
}

/* Changes a bit of x. The operation must succeed before; afterwards each use of x must return
 * MPGPU_LOST. */
static void expect_found(const struct operation *o, mpgpu_batch *x, const char *what) {
    ck_assert_int_eq(o->call(), 0);
    change(x);
    expect_lost(o->call(), o->name, what);
    expect_lost(o->call(), o->name, what);
    expect_lost(mpgpu_batch_get(values, x), "what it holds", what);
}

/* Changes a bit of the modulus object on the device. The operation must succeed all the same,
 * because the object is computed again from the host's copy. */
static void expect_renewed(const struct operation *o, mpgpu_batch *x, const char *what) {
    static mp_limb_t right[ALL];
    ck_assert_int_eq(o->call(), 0);
    ck_assert_int_eq(mpgpu_batch_get(right, b.r), 0);
    change(x);
    int error = o->call();
    ck_assert_msg(error == 0, "%s, %s has changed: code %d", o->name, what, error);
    ck_assert_int_eq(mpgpu_batch_get(values, b.r), 0);
    ck_assert_msg(memcmp(values, right, sizeof right) == 0, "%s, %s has changed: wrong", o->name,
                  what);
}

/* ---- tests */

static const char *const of[] = {"u", "v", "w", "s", "m", "e", "what is known of m"};

static mpgpu_batch *operand(unsigned k) {
    mpgpu_batch *const all[] = {b.u, b.v, b.w, b.s, b.m->m, b.e, b.m->known};
    return all[k];
}

/* Each operand of each operation is tested in a separate process, because a fault that was found
 * ends the session. */
enum { OPERANDS = 7, TRIALS = OPERATIONS * OPERANDS };

static bool reads(const struct operation *o, unsigned k) {
    return k < 6 ? o->reads >> k & 1 : o->call != invert && o->reads & OF_MODULUS;
}

START_TEST(operands_are_found) {
    const struct operation *o = &operations[_i % TRIALS / OPERANDS];
    const unsigned k = (unsigned)_i % OPERANDS;
    if (!reads(o, k))
        return;
    begin(backends[_i / TRIALS], VERIFY_DEVICE);
    if (k == 4 || k == 6)
        expect_renewed(o, operand(k), of[k]);
    else
        expect_found(o, operand(k), of[k]);
}
END_TEST

/* If the option verify makes GMP check the results, a changed operand must still make the call
 * return MPGPU_LOST. */
START_TEST(gmp_sees_them_too) {
    static const int verify[] = {VERIFY_RESIDUE, VERIFY_FULL};
    begin(backends[_i / 2], verify[_i % 2]);
    expect_found(&operations[2], b.v, "v");
}
END_TEST

START_TEST(results_are_found) {
    mpz_t got[COUNT];
    begin(backends[_i], VERIFY_DEVICE);
    for (int i = 0; i < COUNT; i++)
        mpz_init(got[i]);
    ck_assert_int_eq(multiply(), 0);
    change(b.t);
    expect_lost(mpgpu_batch_get_mpz(got, b.t), "numbers", "t");
    ck_assert_int_eq(multiply(), 0); /* a new result replaces the lost value */
    ck_assert_int_eq(mpgpu_batch_get(values, b.t), 0);
    ck_assert_int_eq(compare(), 0);
    for (int i = 0; i < COUNT; i++)
        mpz_clear(got[i]);
}
END_TEST

int main(void) {
    setenv("MPGPU_CONF", "open:wait,watchdog:0,batch:1,mul:never,sqr:never,add:never,log:0", 1);
    has_one_form = true;
    return run_on_backends("batch_changed",
                           TESTS(PER_DEVICE(operands_are_found, TRIALS),
                                 PER_DEVICE(gmp_sees_them_too, 2),
                                 PER_DEVICE(results_are_found, 1)),
                           NULL);
}
