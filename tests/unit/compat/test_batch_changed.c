/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Changes a bit of a batch in device memory. Then each batch operation of lib/job/ops.def and each
 * download must return MPGPU_LOST and no value. The exception is a modulus object: the library
 * computes it again from the host's copy. After the program sets a batch again, it must work as
 * before. */
#include <string.h>

#include "compat/batch/modulus.h"
#include "include/mpgpu.h"
#include "lib/transfer/transfer.h"
#include "tests/support/backends.h"
#include "tests/support/job_cases.h"

enum { N = 5, COUNT = 7, ALL = N * COUNT };

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

static int get(mpgpu_batch *x) {
    mp_limb_t *values = limbs(batch_size(x));
    const int error = mpgpu_batch_get(values, x);
    free(values);
    return error;
}

/* Calls the operation, which must succeed. Then changes a bit of operand k on the device: each
 * later use of the operand must return MPGPU_LOST. */
static void expect_found(const struct job_case *c, unsigned k) {
    const char *name = job_case_name(c->task.op);
    char what[20];
    snprintf(what, sizeof what, "operand %u", k);
    ck_assert_int_eq(batch_task_perform(&c->task), 0);
    change(c->task.u[k]);
    expect_lost(batch_task_perform(&c->task), name, what);
    expect_lost(batch_task_perform(&c->task), name, what);
    expect_lost(get(c->task.u[k]), "what it holds", what);
}

static void close_case(struct job_case *c) {
    job_case_close(c);
    job_case_free(c);
}

/* Each operand of each operation is tested in a separate process. */
enum { TRIALS = JOB_BATCH_OPS * JOB_OPERANDS };

START_TEST(operands_are_found) {
    const enum job_op op = (enum job_op)(_i % TRIALS / JOB_OPERANDS);
    const unsigned k = (unsigned)_i % JOB_OPERANDS;
    struct job_case c;
    job_case_make(&c, op, COUNT, N, (op + k) % 2 ? JOB_CASE_IN_PLACE : 0, 1);
    if (k < c.job.operands) {
        use_backend(backends[_i / TRIALS], VERIFY_DEVICE);
        job_case_open(&c);
        expect_found(&c, k);
        job_case_close(&c);
    }
    job_case_free(&c);
}
END_TEST

static void open_product(struct job_case *c, struct test_backend backend, int verify) {
    use_backend(backend, verify);
    job_case_make(c, JOB_batch_mul, COUNT, N, 0, 1);
    job_case_open(c);
}

/* If the option `verify` makes GMP check the results, a call with a changed operand must return
 * MPGPU_LOST, too. */
START_TEST(gmp_sees_them_too) {
    static const int verify[] = {VERIFY_RESIDUE, VERIFY_FULL};
    struct job_case c;
    open_product(&c, backends[_i / 2], verify[_i % 2]);
    expect_found(&c, 1);
    close_case(&c);
}
END_TEST

START_TEST(results_are_found) {
    struct job_case c;
    mpz_t got[COUNT];
    open_product(&c, backends[_i], VERIFY_DEVICE);
    for (int i = 0; i < COUNT; i++)
        mpz_init(got[i]);
    ck_assert_int_eq(batch_task_perform(&c.task), 0);
    change(c.task.r[0]);
    expect_lost(mpgpu_batch_get_mpz(got, c.task.r[0]), "numbers", "the product");
    ck_assert_int_eq(batch_task_perform(&c.task), 0); /* a new result replaces the lost value */
    job_case_check(&c);
    for (int i = 0; i < COUNT; i++)
        mpz_clear(got[i]);
    close_case(&c);
}
END_TEST

/* ---- modulus objects */

static mpgpu_batch *u, *v, *w, *r, *flags;
static mpgpu_batch_modulus *m;

static int invert(void) {
    return mpgpu_batch_mod_invert(r, flags, u, m);
}
static int reduce(void) {
    return mpgpu_batch_mod(r, w, m);
}
static int multiply(void) {
    return mpgpu_batch_mod_mul(r, u, v, m);
}
static int raise_to(void) {
    return mpgpu_batch_mod_pow(r, u, flags, m);
}

static const struct {
    const char *name;
    int (*call)(void);
    bool reads_known; /* whether the operation reads the modulus object's precomputed constants */
} modular[] = {{"inverse", invert, false},
               {"remainder", reduce, true},
               {"product", multiply, true},
               {"power", raise_to, true}};
enum { MODULAR = sizeof modular / sizeof *modular };

/* Returns a batch of odd numbers of n limbs, whose highest limb is not 0. */
static mpgpu_batch *batch(size_t n) {
    mpgpu_batch *x = mpgpu_batch_create(COUNT, n);
    mp_limb_t *values = limbs(COUNT * n);
    ck_assert_ptr_nonnull(x);
    testing_limbs(values, COUNT * n);
    for (size_t i = 0; i < COUNT; i++) {
        values[i * n] |= 1;
        values[i * n + n - 1] |= (mp_limb_t)1 << 40;
    }
    ck_assert_int_eq(mpgpu_batch_set(x, values), 0);
    free(values);
    return x;
}

/* Changes a bit of the modulus object on the device, either in the moduli or in their precomputed
 * constants. The operation must still succeed: the library computes the object again from the
 * host's copy. */
START_TEST(moduli_are_renewed) {
    static mp_limb_t right[ALL], got[ALL];
    const int op = _i / 2 % MODULAR;
    if (_i % 2 && !modular[op].reads_known)
        return;
    use_backend(backends[_i / 2 / MODULAR], VERIFY_DEVICE);
    u = batch(N), v = batch(N), w = batch(2 * N), r = batch(N), flags = batch(1);
    ck_assert_ptr_nonnull(m = mpgpu_batch_modulus_create(v));
    ck_assert_int_eq(modular[op].call(), 0);
    ck_assert_int_eq(mpgpu_batch_get(right, r), 0);
    change(_i % 2 ? m->known : m->m);
    const int error = modular[op].call();
    ck_assert_msg(error == 0, "%s: code %d", modular[op].name, error);
    ck_assert_int_eq(mpgpu_batch_get(got, r), 0);
    ck_assert_msg(memcmp(got, right, sizeof right) == 0, "%s: wrong", modular[op].name);
}
END_TEST

int main(void) {
    setenv("MPGPU_CONF", "open:wait,watchdog:0,batch:1,mul:never,sqr:never,add:never,log:0", 1);
    has_one_form = true;
    return run_on_backends("batch_changed",
                           TESTS(PER_DEVICE(operands_are_found, TRIALS),
                                 PER_DEVICE(gmp_sees_them_too, 2), PER_DEVICE(results_are_found, 1),
                                 PER_DEVICE(moduli_are_renewed, 2 * MODULAR)),
                           NULL);
}
