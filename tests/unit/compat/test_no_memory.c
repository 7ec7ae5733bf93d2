/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests mpgpu.h's functions while the address space is limited; GMP computes. Each call is repeated
 * with a slightly higher limit. It must return 0 with the right result, or MPGPU_NO_MEMORY. Then,
 * without a limit, it must return the right result. No call may end the program or leak memory. */
#include "tests/support/testing.h"

#include <malloc.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "include/mpgpu.h"

enum { LIMBS = 8000, NUMBERS = 2, STEP = 32 << 10, STEPS = 36 };

static void set_limit(rlim_t bytes) {
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = bytes;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

/* Returns the bytes of address space that the process uses. */
static rlim_t used(void) {
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fscanf(f, "%lu", &pages), 1);
    fclose(f);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* The operands of all operations, the computed result, and the right one. */
static struct operands {
    mp_limb_t *x, *y, *result, *right;
    mpgpu_batch *u, *v, *m, *r, *rest, *wide, *exists;
    mpgpu_batch_modulus *modulus;
    mpgpu_expression *e;
    mpgpu_queue *queue;
    mpgpu_number *a, *b, *c, *d;
    mpgpu_modulus *by;
    mpgpu_tree *tree;
    mpz_t p[NUMBERS], z;
} w;

static mp_limb_t *random_limbs(size_t n) {
    mp_limb_t *x = malloc(n * sizeof *x);
    ck_assert_ptr_nonnull(x);
    mpn_random(x, (mp_size_t)n);
    x[0] |= 1;
    return x;
}

static mpgpu_batch *batch_of(size_t n, const mp_limb_t *x) {
    mpgpu_batch *b = mpgpu_batch_create(NUMBERS, n);
    ck_assert_ptr_nonnull(b);
    ck_assert_int_eq(mpgpu_batch_set(b, x), 0);
    return b;
}

static mpgpu_number *number_of(const mp_limb_t *x, size_t n) {
    const mpz_t view = MPZ_ROINIT_N((mp_limb_t *)x, (mp_size_t)n);
    mpgpu_number *number = mpgpu_number_create(w.queue);
    ck_assert_int_eq(mpgpu_number_set_mpz(number, view), 0);
    return number;
}

static void make_operands(void) {
    w.x = random_limbs(NUMBERS * LIMBS), w.y = random_limbs(NUMBERS * LIMBS);
    w.x[LIMBS] |= 1, w.y[LIMBS] |= 1;
    w.result = calloc(2 * NUMBERS * LIMBS, sizeof *w.result);
    w.right = calloc(2 * NUMBERS * LIMBS, sizeof *w.right);
    w.u = batch_of(LIMBS, w.x), w.v = batch_of(LIMBS, w.y);
    w.r = batch_of(LIMBS, w.x), w.rest = batch_of(LIMBS, w.x),
    w.exists = mpgpu_batch_create(NUMBERS, 1);
    w.wide = mpgpu_batch_create(NUMBERS, 2 * LIMBS);
    w.modulus = mpgpu_batch_modulus_create(w.v);
    ck_assert_ptr_nonnull(w.modulus);
    w.e = mpgpu_expression_create(2);
    int product = mpgpu_expression_mullo(w.e, 0, 1);
    mpgpu_expression_result(w.e, mpgpu_expression_mullo(w.e, product, product));
    ck_assert_int_eq(mpgpu_expression_finish(w.e), 0);
    w.queue = mpgpu_queue_create();
    w.a = number_of(w.x, NUMBERS * LIMBS), w.b = number_of(w.y, LIMBS);
    w.c = number_of(w.x, 1), w.d = number_of(w.x, 1);
    w.by = mpgpu_modulus_create(w.b);
    for (int i = 0; i < NUMBERS; i++) {
        mpz_init(w.p[i]);
        mpz_import(w.p[i], LIMBS, -1, sizeof *w.x, 0, 0, w.x + i * LIMBS);
    }
    mpz_init2(w.z, 64 * (2 * NUMBERS * LIMBS + 8));
}

/* ---- operations: each returns 0 or an error code, and stores its result in w.result */

static int fetch(mpgpu_batch *b) {
    return mpgpu_batch_get(w.result, b);
}

/* Copies a number's limbs to w.result. w.z has enough memory already, so this allocates nothing. */
static int fetch_number(mpgpu_number *x) {
    int error = mpgpu_number_get_mpz(w.z, x);
    if (!error)
        memcpy(w.result, mpz_limbs_read(w.z), mpz_size(w.z) * sizeof *w.result);
    return error;
}

static int multiply(void) {
    int error = mpgpu_batch_mul(w.wide, w.u, w.v);
    return error ? error : fetch(w.wide);
}

static int multiply_limbs(void) {
    return mpgpu_batch_mul_n(w.result, w.x, w.y, LIMBS, NUMBERS);
}

static int divide(void) {
    int error = mpgpu_batch_tdiv_qr(w.r, w.rest, w.u, w.v);
    return error ? error : fetch(w.rest);
}

static int multiply_modulo(void) {
    int error = mpgpu_batch_mod_mul(w.r, w.u, w.u, w.modulus);
    return error ? error : fetch(w.r);
}

static int find_gcds(void) {
    int error = mpgpu_batch_gcd(w.r, w.u, w.v);
    return error ? error : fetch(w.r);
}

static int run_expression(void) {
    mpgpu_batch *const u[] = {w.u, w.v};
    int error = mpgpu_expression_run(w.e, &w.r, u);
    return error ? error : fetch(w.r);
}

static int multiply_numbers(void) {
    int error = mpgpu_number_mul(w.c, w.a, w.b);
    return error ? error : fetch_number(w.c);
}

static int divide_numbers(void) {
    int error = mpgpu_number_tdiv_qr(w.c, w.d, w.a, w.b);
    return error ? error : fetch_number(w.c);
}

static int shift_number(void) {
    int error = mpgpu_number_mul_2exp(w.c, w.a, 12345);
    return error ? error : fetch_number(w.c);
}

static int reduce_number(void) {
    int error = mpgpu_number_neg(w.c, w.a);
    if (!error)
        error = mpgpu_modulus_reduce(w.d, w.c, w.by);
    return error ? error : fetch_number(w.d);
}

static int write_number(void) {
    char *text;
    int error = mpgpu_number_get_str(&text, w.b, 10);
    if (!error) {
        memcpy(w.result, text, strlen(text));
        free(text);
    }
    return error;
}

/* Creates a tree and computes its root. A tree retains its levels, so each call needs a new one. */
static int make_tree(void) {
    mpgpu_tree *t = mpgpu_tree_create((const mpz_t *)w.p, NUMBERS);
    int error = t ? mpgpu_tree_root(w.z, t) : MPGPU_NO_MEMORY;
    if (!error)
        memcpy(w.result, mpz_limbs_read(w.z), mpz_size(w.z) * sizeof *w.result);
    mpgpu_tree_destroy(t);
    return error;
}

static const struct {
    const char *name;
    int (*run)(void);
} operations[] = {
    {"batch_mul", multiply},           {"batch_mul_n", multiply_limbs},
    {"batch_tdiv_qr", divide},         {"batch_mod_mul", multiply_modulo},
    {"batch_gcd", find_gcds},          {"expression_run", run_expression},
    {"number_mul", multiply_numbers},  {"number_tdiv_qr", divide_numbers},
    {"number_mul_2exp", shift_number}, {"modulus_reduce", reduce_number},
    {"number_get_str", write_number},  {"tree", make_tree},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static const size_t result_bytes = 2 * NUMBERS * LIMBS * sizeof(mp_limb_t);

static int run(int i) {
    memset(w.result, 0, result_bytes);
    return operations[i].run();
}

static void expect(int i, const char *when) {
    ck_assert_msg(memcmp(w.result, w.right, result_bytes) == 0, "%s: wrong %s", operations[i].name,
                  when);
}

START_TEST(every_operation) {
    unsigned failed = 0;
    /* makes free() return large blocks to the system at once */
    mallopt(M_MMAP_THRESHOLD, 32 << 10);
    mallopt(M_TRIM_THRESHOLD, 0);
    make_operands();
    ck_assert_int_eq(run(_i), 0);
    const rlim_t before = used();
    memcpy(w.right, w.result, result_bytes);
    for (int k = 0; k < STEPS; k++) {
        set_limit(used() + (rlim_t)k * STEP);
        int error = run(_i);
        set_limit(RLIM_INFINITY);
        failed += error != 0;
        ck_assert_msg(error == 0 || error == MPGPU_NO_MEMORY, "%s: %d", operations[_i].name, error);
        if (error == 0)
            expect(_i, "with a limit");
        ck_assert_int_eq(run(_i), 0);
        expect(_i, "after a limit");
    }
    ck_assert_msg(failed > 0, "%s: memory was never exhausted", operations[_i].name);
    ck_assert_msg(used() < before + result_bytes,
                  "%s: %lu bytes are not free after %u calls that failed", operations[_i].name,
                  (unsigned long)(used() - before), failed);
}
END_TEST

int main(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    puts("skipped: a sanitizer needs terabytes of addresses");
    return 77;
#endif
    setenv("MPGPU_CONF", "backend:none,clear:true", 1);
    return testing_main("no memory", 240, TESTS(LOOP(every_operation, OPERATIONS)));
}
