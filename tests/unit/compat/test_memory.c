/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests numbers whose limbs are in the pool, the library's memory for large results. GMP's
 * functions compute with these numbers. Some programs set memory functions of their own, before or
 * after the first number in the pool. There is no device: the test opens the pool itself. */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat/intercept/call.h"
#include "lib/gmp/gmp_internal.h"
#include "lib/gmp/memory.h"
#include "lib/gmp/real.h"
#include "tests/support/pools.h"
#include "tests/support/testing.h"

enum { LIMBS = 100000 };

static uint64_t lent(void) {
    return ask().used;
}

static void set_up(void) {
    call_init();
    pool_open();
}

/* Makes a number of LIMBS limbs with the values 1, 2, 3, ... */
static void make(mpz_t x) {
    memory_init(x, LIMBS);
    for (int i = 0; i < LIMBS; i++)
        mpz_limbs_write(x, LIMBS)[i] = (mp_limb_t)i + 1;
    mpz_limbs_finish(x, LIMBS);
}

static bool is_made(const mpz_t x) {
    if (mpz_size(x) != LIMBS)
        return false;
    for (int i = 0; i < LIMBS; i++)
        if (mpz_getlimbn(x, i) != (mp_limb_t)i + 1)
            return false;
    return true;
}

static bool in_pool(const mpz_t x) {
    return pool_owns(x->_mp_d);
}

/* ---- a program's memory functions: they allocate from one array, so that the test recognises
 * their blocks */

static char arena[64 << 20];
static size_t arena_used;
static int made, moved, freed;

static bool is_own(const void *p) {
    return (const char *)p >= arena && (const char *)p < arena + sizeof arena;
}

static void *own_allocate(size_t bytes) {
    void *p = arena + arena_used;
    arena_used += (bytes + 63) / 64 * 64;
    ck_assert(arena_used <= sizeof arena);
    made++;
    return p;
}

static void own_free(void *p, size_t bytes) {
    (void)bytes;
    ck_assert_msg(is_own(p), "freed by functions that did not make it");
    freed++;
}

static void *own_reallocate(void *p, size_t old, size_t bytes) {
    ck_assert_msg(is_own(p), "moved by functions that did not make it");
    void *q = own_allocate(bytes);
    memcpy(q, p, old < bytes ? old : bytes);
    moved++;
    return q;
}

static void set_own(void) {
    mp_set_memory_functions(own_allocate, own_reallocate, own_free);
}

static bool has_own(void) {
    void *(*a)(size_t), *(*r)(void *, size_t, size_t);
    void (*f)(void *, size_t);
    mp_get_memory_functions(&a, &r, &f);
    return a == own_allocate && r == own_reallocate && f == own_free;
}

/* ---- */

START_TEST(test_small_numbers_see_nothing) {
    mpz_t x;
    memory_init(x, 100);
    void (*f)(void *, size_t);
    real.mp_get_memory_functions(NULL, NULL, &f);
    ck_assert(f == real.__gmp_default_free && !in_pool(x) && x->_mp_alloc == 100);
    mpz_clear(x);
}
END_TEST

START_TEST(test_life_of_a_number) {
    mpz_t x, y, z;
    make(x);
    ck_assert(in_pool(x));
    mpz_init_set(y, x);
    ck_assert(!in_pool(y) && is_made(y));
    mpz_init(z);
    mpz_swap(x, z);
    ck_assert(in_pool(z) && is_made(z) && mpz_sgn(x) == 0);
    mpz_add(x, z, y);
    mpz_tdiv_q_2exp(z, x, 1);
    ck_assert(is_made(z));
    mpz_clears(x, y, z, NULL);
    ck_assert_uint_eq(lent(), 0);
}
END_TEST

START_TEST(test_reallocation) {
    mpz_t x;
    make(x);
    mp_srcptr place = x->_mp_d;
    /* the pool allocates in units larger than a limb, so the block has room for ten more limbs */
    mpz_realloc2(x, (LIMBS + 10) * GMP_NUMB_BITS);
    ck_assert(x->_mp_d == place && is_made(x));
    /* the units behind the block are free, so the block grows in place */
    mpz_realloc2(x, 3ul * LIMBS * GMP_NUMB_BITS);
    ck_assert(x->_mp_d == place && is_made(x));
    mpz_realloc2(x, LIMBS * GMP_NUMB_BITS);
    mpz_t behind;
    make(behind);
    ck_assert(behind->_mp_d > place && behind->_mp_d < place + 2 * LIMBS);
    mpz_realloc2(x, 3ul * LIMBS * GMP_NUMB_BITS);
    ck_assert(x->_mp_d != place && in_pool(x) && is_made(x));
    mpz_tdiv_r_2exp(x, x, 64);
    mpz_realloc2(x, 64); /* to GMP's memory */
    ck_assert(!in_pool(x) && mpz_cmp_ui(x, 1) == 0);
    ck_assert(is_made(behind));
    mpz_clears(x, behind, NULL);
    ck_assert_uint_eq(lent(), 0);
}
END_TEST

/* When the pool is closed, a block that grows must move to the program's own memory. */
START_TEST(test_reallocation_without_pool) {
    mpz_t x;
    make(x);
    pool_shut();
    mpz_realloc2(x, 60000000ul * GMP_NUMB_BITS);
    ck_assert(!in_pool(x) && is_made(x));
    mpz_clear(x);
    ck_assert_uint_eq(lent(), 0);
}
END_TEST

START_TEST(test_own_functions_before) {
    mpz_t x;
    set_own();
    make(x);
    ck_assert(is_own(x->_mp_d) && has_own());
    mpz_clear(x);
    ck_assert(made > 0 && freed > 0);
    mp_set_memory_functions(NULL, NULL, NULL); /* GMP's again */
    make(x);
    ck_assert(in_pool(x));
    mpz_clear(x);
}
END_TEST

START_TEST(test_own_functions_after) {
    mpz_t x, y, z;
    make(x);
    make(y);
    set_own();
    ck_assert(has_own());
    memory_init(z, LIMBS);
    ck_assert(is_own(z->_mp_d));
    mpz_clear(x); /* the pool's still */
    mpz_realloc2(y, 5ul * LIMBS * GMP_NUMB_BITS);
    mpz_realloc2(y, 50ul * LIMBS * GMP_NUMB_BITS);
    ck_assert(is_made(y));
    mpz_realloc2(z, 2 * LIMBS * GMP_NUMB_BITS);
    ck_assert_int_eq(moved, 1);
    mpz_clears(y, z, NULL);
    ck_assert_uint_eq(lent(), 0);
}
END_TEST

/* Gets the memory functions from GMP, sets others and restores the first ones, as PARI does at its
 * start and end. */
START_TEST(test_get_and_restore) {
    void *(*a)(size_t), *(*r)(void *, size_t, size_t);
    void (*f)(void *, size_t);
    mpz_t x, y;
    if (_i == 1)
        make(x);
    mp_get_memory_functions(&a, &r, &f);
    if (_i == 0)
        make(x);
    set_own();
    mpz_init_set_ui(y, 5);
    ck_assert(is_own(y->_mp_d) && has_own());
    mpz_clear(y);
    mp_set_memory_functions(a, r, f);
    make(y);
    ck_assert(in_pool(y) && !has_own());
    mpz_clears(x, y, NULL);
    mpz_init_set_ui(x, 5);
    mpz_realloc2(x, 10000);
    ck_assert(!is_own(x->_mp_d));
    mpz_clear(x);
    ck_assert_uint_eq(lent(), 0);
}
END_TEST

/* Memory functions of a program, as in SWI-Prolog. For a block that the previous memory functions
 * have allocated, the program's functions call the previous ones. */
static void *(*got_reallocate)(void *, size_t, size_t);
static void (*got_free)(void *, size_t);

static void *chained_reallocate(void *p, size_t old, size_t bytes) {
    return is_own(p) ? own_reallocate(p, old, bytes) : got_reallocate(p, old, bytes);
}

static void chained_free(void *p, size_t bytes) {
    if (is_own(p))
        own_free(p, bytes);
    else
        got_free(p, bytes);
}

START_TEST(test_own_functions_that_call_those_got) {
    mpz_t x, y, z;
    if (_i)
        make(x);
    mpz_init_set_ui(y, 5);
    mpz_init_set_ui(z, 6);
    mp_get_memory_functions(NULL, &got_reallocate, &got_free);
    if (!_i)
        make(x);
    mp_set_memory_functions(own_allocate, chained_reallocate, chained_free);
    mpz_realloc2(y, 10000);
    ck_assert(!is_own(y->_mp_d) && mpz_cmp_ui(y, 5) == 0);
    x->_mp_d = got_reallocate(x->_mp_d, LIMBS * sizeof(mp_limb_t), 900 * LIMBS * sizeof(mp_limb_t));
    x->_mp_alloc = 900 * LIMBS;
    ck_assert(!is_own(x->_mp_d) && is_made(x));
    mpz_clears(x, y, z, NULL);
    ck_assert_int_eq(made, 0);
    mpz_init_set_ui(x, 7);
    mpz_realloc2(x, 10000);
    ck_assert(is_own(x->_mp_d) && moved == 1);
    mpz_clear(x);
    ck_assert_int_eq(freed, 1);
    ck_assert_uint_eq(lent(), 0);
}
END_TEST

/* Frees strings and limbs by functions that the program got from GMP before or after the pool
 * was first used. */
START_TEST(test_functions_that_were_got) {
    void *(*r)(void *, size_t, size_t);
    void (*f)(void *, size_t);
    mpz_t x;
    if (_i)
        mp_get_memory_functions(NULL, &r, &f);
    make(x);
    if (!_i)
        mp_get_memory_functions(NULL, &r, &f);
    char *s = mpz_get_str(NULL, 16, x);
    ck_assert(!pool_owns(s));
    f(s, strlen(s) + 1);
    x->_mp_d = r(x->_mp_d, LIMBS * sizeof(mp_limb_t), 9 * LIMBS * sizeof(mp_limb_t));
    ck_assert(is_made(x));
    f(x->_mp_d, 9 * LIMBS * sizeof(mp_limb_t));
    ck_assert_uint_eq(lent(), 0);
}
END_TEST

static void *clear(void *x) {
    ck_assert(is_made(x));
    mpz_clear(x);
    return NULL;
}

START_TEST(test_cleared_in_another_thread) {
    pthread_t thread;
    mpz_t x;
    make(x);
    ck_assert_int_eq(pthread_create(&thread, NULL, clear, x), 0);
    pthread_join(thread, NULL);
    ck_assert_uint_eq(lent(), 0);
}
END_TEST

/* A child of fork reads, changes, enlarges and frees its parent's numbers. The parent's numbers
 * must not change; the child's results must be GMP's. */
START_TEST(test_fork) {
    mpz_t x, y;
    int status;
    make(x);
    make(y);
    pid_t child = fork();
    if (child == 0) {
        mpz_t z;
        int good = is_made(x) && is_made(y);
        mpz_clear(y);
        mpz_mul_2exp(x, x, 64);
        good = good && mpz_getlimbn(x, 1) == 1 && mpz_getlimbn(x, LIMBS) == LIMBS;
        make(z);
        good = good && !in_pool(z) && is_made(z);
        mpz_clears(x, z, NULL);
        _exit(good ? 42 : 1);
    }
    mpz_set_ui(y, 7);
    waitpid(child, &status, 0);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 42);
    ck_assert(is_made(x) && mpz_cmp_ui(y, 7) == 0);
    mpz_clears(x, y, NULL);
    ck_assert_uint_eq(lent(), 0);
}
END_TEST

int main(void) {
    testing_set_up = set_up;
    return testing_main("memory", 60,
                        TESTS(ONCE(test_small_numbers_see_nothing), ONCE(test_life_of_a_number),
                              ONCE(test_reallocation), ONCE(test_reallocation_without_pool),
                              ONCE(test_own_functions_before), ONCE(test_own_functions_after),
                              LOOP(test_get_and_restore, 2),
                              LOOP(test_own_functions_that_call_those_got, 2),
                              LOOP(test_functions_that_were_got, 2),
                              ONCE(test_cleared_in_another_thread), ONCE(test_fork)));
}
