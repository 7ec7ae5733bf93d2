/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations that test_inject runs on batches, expressions, moduli, numbers on the device and
 * trees. */
#include <string.h>

#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/modular/euclid_plan.h"
#include "tests/support/job_cases.h"
#include "tests/support/testing.h"
#include "tests/unit/fault/inject_operations.h"

enum { N = 9, COUNT = 6, ALL = N * COUNT };

static mpgpu_batch *of_length(size_t n) {
    mpgpu_batch *b = mpgpu_batch_create(COUNT, n);
    ck_assert_ptr_nonnull(b);
    return b;
}

/* Creates a batch with operand number `which` of operand set `set`. If `odd` is true, all its
 * numbers are odd. */
static mpgpu_batch *batch(size_t n, unsigned set, unsigned which, bool odd) {
    static mp_limb_t x[2 * ALL];
    mpgpu_batch *b = of_length(n);
    operand_limbs(x, n * COUNT, set, which);
    for (size_t i = 0; i < COUNT; i++) {
        x[i * n] |= odd;
        x[i * n + n - 1] |= (mp_limb_t)1 << 60;
    }
    ck_assert_int_eq(mpgpu_batch_set(b, x), 0);
    return b;
}

static void write_batch(mpgpu_batch *b) {
    static mp_limb_t x[15 * ALL];
    if (!written_error(mpgpu_batch_get(x, b)))
        written_limbs(x, mpgpu_batch_count(b) * mpgpu_batch_limbs(b));
}

static void write_results(int error, const struct batch_task *t) {
    for (unsigned k = 0; k < t->results && !error; k++)
        if (t->r[k])
            write_batch(t->r[k]);
    written_error(error);
}

/* Records the batch's numbers for comparison, and destroys the batch. */
static void give(mpgpu_batch *b) {
    write_batch(b);
    mpgpu_batch_destroy(b);
}

/* Records the results r and s, and the operands u and v, which must not have changed. Destroys all
 * of them. */
static void give_all(int error, mpgpu_batch *r, mpgpu_batch *s, mpgpu_batch *u, mpgpu_batch *v) {
    mpgpu_batch *const all[] = {r, s, u, v};
    for (int i = 0; i < 4; i++)
        if (error || !all[i])
            mpgpu_batch_destroy(all[i]);
        else
            give(all[i]);
    written_error(error);
}

/* Runs an operation of lib/job/ops.def twice, on different operands, into the same results. If the
 * second run does nothing, the test must notice that the results are those of the first. */
static void run_jobs(enum job_op op, unsigned set, bool is_other) {
    enum { OTHER = JOB_CASE_LONGER | JOB_CASE_FOR_ALL | JOB_CASE_BARRETT };
    static struct job_case all[JOB_BATCH_OPS][2][INJECT_SETS];
    struct job_case *cases = all[op][is_other];
    struct job_case *first = &cases[set], *second = &cases[(set + 1) % INJECT_SETS];
    for (unsigned i = 0; i < INJECT_SETS; i++) /* the first run, which has no device, makes the
                                                  cases */
        if (!cases[i].up[0])
            job_case_make(&cases[i], op, COUNT, N, is_other ? OTHER : 0, 1 + i);
    job_case_open(first);
    job_case_open(second);
    struct batch_task again = second->task;
    for (unsigned k = 0; k < again.results; k++)
        again.r[k] = first->task.r[k];
    write_results(batch_task_perform(&first->task), &first->task);
    write_results(batch_task_perform(&again), &again);
    for (unsigned k = 0; k < again.operands; k++)
        write_batch(again.u[k]);
    job_case_close(second);
    job_case_close(first);
}

#define BATCH(name, row, shape, made_by)                                                           \
    static void call_##name(unsigned set) {                                                        \
        run_jobs(JOB_##name, set, false);                                                          \
    }                                                                                              \
    static void call_other_##name(unsigned set) {                                                  \
        run_jobs(JOB_##name, set, true);                                                           \
    }
#include "lib/job/ops.def"

/* Computes three operations, each with the result of the one before, which is only on the
 * device. */
static void call_chain(unsigned set) {
    mpgpu_batch *u = batch(N, set, 1, false), *v = batch(N, set, 2, false), *r = of_length(N);
    int error = mpgpu_batch_mullo(r, u, v);
    error = error ? error : mpgpu_batch_add(r, NULL, r, u);
    error = error ? error : mpgpu_batch_mullo(r, r, v);
    give_all(error, r, NULL, u, v);
}

/* Computes several operations with one modulus object. Results replace operands. */
static void call_mod_chain(unsigned set) {
    mpgpu_batch *u = batch(N, set, 1, false), *v = batch(N, set, 2, false);
    mpgpu_batch *m = batch(N, set, 3, true), *r = of_length(N);
    mpgpu_batch_modulus *by = mpgpu_batch_modulus_create(m);
    int error = by ? mpgpu_batch_mod_mul(r, u, v, by) : MPGPU_LOST;
    error = error ? error : mpgpu_batch_mod_add(r, r, u, by);
    error = error ? error : mpgpu_batch_mod_sqr(r, r, by);
    mpgpu_batch_modulus_destroy(by);
    give_all(error, r, u, v, m);
}

/* Reduces numbers of twice the moduli's length, subtracts and inverts the residues, all with one
 * modulus object. */
static void call_mod_others(unsigned set) {
    mpgpu_batch *u = batch(2 * N, set, 1, false), *v = batch(N, set, 2, false);
    mpgpu_batch *m = batch(N, set, 3, true), *r = of_length(N), *exists = of_length(1);
    mpgpu_batch_modulus *by = mpgpu_batch_modulus_create(m);
    int error = by ? mpgpu_batch_mod(r, u, by) : MPGPU_LOST;
    error = error ? error : mpgpu_batch_mod_sub(r, r, v, by);
    error = error ? error : mpgpu_batch_mod_invert(r, exists, r, by);
    mpgpu_batch_modulus_destroy(by);
    mpgpu_batch_destroy(m);
    give_all(error, r, exists, u, v);
}

/* Computes remainders and inverses. The device must first search for zeros among divisors, and for
 * even numbers among moduli. Then divides by the number 0, which must return an error. */
static void call_batch_look(unsigned set) {
    mpgpu_batch *u = batch(N, set, 1, false), *v = batch(N, set, 2, false);
    mpgpu_batch *r = of_length(N), *exists = of_length(1), *zero = of_length(N);
    int error = mpgpu_batch_tdiv_qr(NULL, r, u, v);
    error = error ? error : mpgpu_batch_mod_inv(r, exists, r, v);
    error = error ? error : mpgpu_batch_sub(zero, NULL, v, v);
    const int answer = error ? error : mpgpu_batch_tdiv_qr(NULL, u, u, zero);
    if (answer != MPGPU_LOST)
        written_limbs(&(mp_limb_t){(mp_limb_t)answer}, 1);
    else
        error = answer;
    mpgpu_batch_destroy(zero);
    give_all(error, r, exists, u, v);
}

/* ---- memory of batches */

/* Adds u and v, sets u to other numbers, and adds again: the second sum must use the new
 * numbers. */
static void call_store_fill(unsigned set) {
    mpgpu_batch *u = batch(N, set, 1, false), *v = batch(N, set, 2, false);
    mpgpu_batch *r = of_length(N), *s = of_length(N);
    static mp_limb_t x[ALL];
    int error = mpgpu_batch_add(r, NULL, u, v);
    operand_limbs(x, ALL, set, 3);
    error = error ? error : mpgpu_batch_set(u, x);
    error = error ? error : mpgpu_batch_add(s, NULL, u, v);
    give_all(error, r, s, u, v);
}

/* Downloads a result, computes another one into the same batch, and downloads that. */
static void call_store_fetch(unsigned set) {
    mpgpu_batch *u = batch(N, set, 1, false), *v = batch(N, set, 2, false), *r = of_length(N);
    int error = mpgpu_batch_mullo(r, u, v);
    write_batch(r);
    error = error ? error : mpgpu_batch_sub(r, NULL, r, v);
    write_batch(r);
    error = error ? error : mpgpu_batch_sub(r, NULL, r, u);
    give_all(error, r, NULL, u, v);
}

/* Computes with a new batch, whose numbers are 0, although its device memory may have held a batch
 * that was destroyed. */
static void call_store_alloc(unsigned set) {
    mpgpu_batch *u = batch(N, set, 1, false), *old = of_length(N);
    int error = mpgpu_batch_mullo(old, u, u);
    mpgpu_batch_destroy(old);
    mpgpu_batch *v = of_length(N), *r = of_length(N);
    error = error ? error : mpgpu_batch_add(r, NULL, u, v);
    give_all(error, r, NULL, u, v);
}

/* Destroys an operand after its use, creates a batch, and computes with the result. */
static void call_store_free(unsigned set) {
    mpgpu_batch *u = batch(N, set, 1, false), *v = batch(N, set, 2, false), *r = of_length(N);
    int error = mpgpu_batch_mullo(r, u, v);
    mpgpu_batch_destroy(v);
    mpgpu_batch *s = of_length(N);
    error = error ? error : mpgpu_batch_sub(s, NULL, r, u);
    give_all(error, r, s, u, NULL);
}

/* Copies a result to an array in device memory and from there to another batch, and computes with
 * that batch. On devices without such arrays copies through host memory. */
static void call_store_copy(unsigned set) {
    static mp_limb_t x[ALL];
    mpgpu_batch *u = batch(N, set, 1, false), *r = of_length(N), *s = of_length(N);
    mpgpu_array *array = mpgpu_array_create(NULL, ALL);
    int error = mpgpu_batch_mullo(r, u, u);
    if (!error)
        error = array ? mpgpu_batch_get_array(array, r) : mpgpu_batch_get(x, r);
    if (!error)
        error = array ? mpgpu_batch_set_array(s, array) : mpgpu_batch_set(s, x);
    mpgpu_array_destroy(array);
    error = error ? error : mpgpu_batch_add(r, NULL, s, u);
    give_all(error, r, s, u, NULL);
}

/* Computes quotients by Newton's method, which is otherwise used only for longer numbers. */
static void call_newton(unsigned set) {
    const uint32_t usual = euclid_newton_least;
    euclid_newton_least = 2 * N;
    run_jobs(JOB_batch_tdiv_qr, set, set % 2);
    euclid_newton_least = usual;
}

static void call_probable_prime(unsigned set) {
    static const mp_limb_t bases[] = {2, 3};
    mpgpu_batch *u = batch(2, set, 1, true), *r = of_length(1);
    give_all(mpgpu_batch_probable_prime(r, u, bases, 2, MPGPU_FERMAT), r, NULL, u, NULL);
}

/* Computes batch products of numbers in host memory. */
static void call_mul_n(unsigned set) {
    static mp_limb_t u[ALL], v[ALL], r[2 * ALL];
    operand_limbs(u, ALL, set, 1);
    operand_limbs(v, ALL, set, 2);
    if (!written_error(mpgpu_batch_mul_n(r, u, v, N, COUNT)))
        written_limbs(r, 2 * ALL);
}

static void call_sqr_n(unsigned set) {
    static mp_limb_t u[ALL], v[ALL], r[3 * ALL];
    operand_limbs(u, ALL, set, 1);
    operand_limbs(v, ALL, set, 2);
    int error = mpgpu_batch_sqr_n(r, u, N, COUNT);
    error = error ? error : mpgpu_batch_mullo_n(r + 2 * ALL, u, v, N, COUNT);
    if (!written_error(error))
        written_limbs(r, 3 * ALL);
}

/* ---- numbers (mpgpu_number) that stay on the device */

static void give_number(mpgpu_number *x) {
    mpz_t got;
    mpz_init(got);
    if (!written_error(mpgpu_number_get_mpz(got, x)))
        written_number(got);
    mpz_clear(got);
    mpgpu_number_destroy(x);
}

static mpgpu_number *number(mpgpu_queue *queue, size_t n, unsigned set, unsigned which) {
    mpz_t value;
    operand(value, n, set, which);
    mpgpu_number *x = mpgpu_number_create(queue);
    ck_assert_int_eq(mpgpu_number_set_mpz(x, value), 0);
    mpz_clear(value);
    return x;
}

static void call_numbers(unsigned set) {
    mpgpu_queue *queue = mpgpu_queue_create();
    mpgpu_number *u = number(queue, 120, set, 1), *v = number(queue, 90, set, 2);
    mpgpu_number *x[4];
    for (int i = 0; i < 4; i++)
        x[i] = mpgpu_number_create(queue);
    int error = mpgpu_number_mul(x[0], u, v);
    error = error ? error : mpgpu_number_sub(x[1], x[0], u);
    error = error ? error : mpgpu_number_tdiv_qr(x[2], x[3], x[1], v);
    error = error ? error : mpgpu_queue_finish(queue);
    error = error ? error : mpgpu_number_sqr(x[1], x[3]);
    error = error ? error : mpgpu_number_mul_2exp(x[0], x[0], 77);
    error = error ? error : mpgpu_number_tdiv_q_2exp(x[2], x[0], 1000);
    error = error ? error : mpgpu_number_add(x[3], x[3], u);
    written_error(error);
    for (int i = 0; i < 4; i++)
        give_number(x[i]);
    give_number(u);
    give_number(v);
    mpgpu_queue_destroy(queue);
}

/* Computes several operations with one modulus object, whose modulus is odd or even. */
static void call_modulus(unsigned set) {
    mpgpu_queue *queue = mpgpu_queue_create();
    mpgpu_number *u = number(queue, 60, set, 1), *m = number(queue, 64, set, 2);
    mpgpu_number *x = mpgpu_number_create(queue), *y = mpgpu_number_create(queue);
    mpz_t e;
    mpz_init_set_ui(e, 0x1a5 + set);
    mpgpu_modulus *by = mpgpu_modulus_create(m);
    int error = by ? 0 : MPGPU_LOST;
    error = error ? error : mpgpu_modulus_sqr(x, u, by);
    error = error ? error : mpgpu_queue_finish(queue);
    error = error ? error : mpgpu_modulus_mul(x, x, u, by);
    error = error ? error : mpgpu_modulus_pow(y, x, e, by);
    error = error ? error : mpgpu_modulus_reduce(x, u, by);
    error = error ? error : mpgpu_number_neg(x, x);
    error = error ? error : mpgpu_number_mod(x, x, m);
    written_error(error);
    give_number(x);
    give_number(y);
    mpgpu_modulus_destroy(by);
    give_number(u);
    give_number(m);
    mpgpu_queue_destroy(queue);
    mpz_clear(e);
}

/* Computes products and squares modulo a Mersenne number, by transforms modulo this number. */
static void call_mersenne(unsigned set) {
    static const size_t bits[INJECT_SETS] = {8209, 8192, 9000};
    mpgpu_queue *queue = mpgpu_queue_create();
    mpgpu_number *u = number(queue, bits[set] / 64, set, 1), *m = number(queue, 1, set, 2);
    mpgpu_number *x = mpgpu_number_create(queue);
    mpgpu_conf.algorithm = ALGORITHM_FFT;
    int error = mpgpu_number_set_ui(x, 1);
    error = error ? error : mpgpu_number_mul_2exp(m, x, bits[set]);
    error = error ? error : mpgpu_number_sub(m, m, x);
    mpgpu_modulus *by = error ? NULL : mpgpu_modulus_create(m);
    error = by ? 0 : MPGPU_LOST;
    error = error ? error : mpgpu_modulus_sqr(x, u, by);
    error = error ? error : mpgpu_modulus_mul(u, x, u, by);
    error = error ? error : mpgpu_number_add(x, x, m); /* now x has one bit more than the modulus */
    error = error ? error : mpgpu_modulus_mul(x, x, u, by);
    written_error(error ? error : mpgpu_queue_finish(queue));
    mpgpu_conf.algorithm = ALGORITHM_AUTO;
    give_number(x);
    give_number(u);
    give_number(m);
    mpgpu_modulus_destroy(by);
    mpgpu_queue_destroy(queue);
}

/* ---- trees */

enum { LEAVES = 12 };

static void give_numbers(int error, mpz_t *r) {
    if (!written_error(error))
        for (int i = 0; i < LEAVES; i++)
            written_number(r[i]);
}

/* Makes a product tree of LEAVES numbers, and calls `use` with the tree and a longer number x. */
static void with_tree(unsigned set, void (*use)(mpgpu_tree *tree, mpz_ptr x, mpz_t *r)) {
    mpz_t u[LEAVES], r[LEAVES], x;
    for (unsigned i = 0; i < LEAVES; i++) {
        operand(u[i], 6, set, i);
        mpz_init(r[i]);
    }
    operand(x, 60, set, LEAVES);
    mpgpu_tree *tree = mpgpu_tree_create(u, LEAVES);
    ck_assert_ptr_nonnull(tree);
    use(tree, x, r);
    mpgpu_tree_destroy(tree);
    for (int i = 0; i < LEAVES; i++)
        mpz_clears(u[i], r[i], NULL);
    mpz_clear(x);
}

static void use_root(mpgpu_tree *tree, mpz_ptr x, mpz_t *r) {
    (void)x;
    if (!written_error(mpgpu_tree_root(r[0], tree)))
        written_number(r[0]);
}

static void use_remainders(mpgpu_tree *tree, mpz_ptr x, mpz_t *r) {
    give_numbers(mpgpu_tree_mod(r, tree, x), r);
    give_numbers(mpgpu_tree_cofactors(r, tree), r);
    give_numbers(mpgpu_tree_mod_sqr(r, tree), r);
}

static void use_all(mpgpu_tree *tree, mpz_ptr x, mpz_t *r) {
    use_remainders(tree, x, r);
    use_root(tree, x, r);
}

static void call_tree_build(unsigned set) {
    with_tree(set, use_all);
}

static void call_tree_root(unsigned set) {
    with_tree(set, use_root);
}

static void call_tree_remainders(unsigned set) {
    with_tree(set, use_remainders);
}

static void leaf(void *context, size_t k, mpz_ptr p, mpz_ptr q, mpz_ptr t) {
    const unsigned set = *(unsigned *)context;
    mpz_set_ui(p, 0xfffffffffffffffb - 7 * k - set);
    mpz_set_ui(q, 0xfffffffffffffff1 - 5 * k);
    mpz_mul_ui(t, p, k + 1 + set);
}

static void call_tree_split(unsigned set) {
    mpz_t p, q, t;
    mpz_inits(p, q, t, NULL);
    if (!written_error(mpgpu_tree_split(p, q, t, 40, leaf, &set))) {
        written_number(p);
        written_number(q);
        written_number(t);
    }
    mpz_clears(p, q, t, NULL);
}

#define COVERS(op)                                                                                 \
    ((op) == JOB_tree_split                              ? NO_TRANSFERS                            \
     : (op) == JOB_batch_look || (op) >= JOB_FIRST_STORE ? TRANSFERS                               \
                                                         : UPLOADS)
const struct inject_operation inject_batches[] = {
#define BATCH(name, row, shape, made_by)                                                           \
    {#name, call_##name, TRANSFERS, false}, {#name "_other", call_other_##name, TRANSFERS, false},
#define ON_DEVICE(name) {#name, call_##name, COVERS(JOB_##name), false},
#define STORE(name) {#name, call_##name, COVERS(JOB_##name), JOB_##name == JOB_store_copy},
#include "lib/job/ops.def"
    {"batch_chain", call_chain, TRANSFERS, false},
    {"batch_mod_chain", call_mod_chain, TRANSFERS, false},
    {"batch_mod_others", call_mod_others, TRANSFERS, false},
    {"batch_newton", call_newton, TRANSFERS, false},
    {"batch_probable_prime", call_probable_prime, TRANSFERS, false},
    {"batch_mul_n", call_mul_n, NO_TRANSFERS, false},
    {"batch_sqr_n", call_sqr_n, NO_TRANSFERS, false},
    {"modulus", call_modulus, NO_TRANSFERS, false},
    {"mersenne", call_mersenne, NO_TRANSFERS, false},
    {NULL, NULL, NO_TRANSFERS, false}};
