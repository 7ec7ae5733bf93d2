/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests one product that several devices compute together, compared with GMP's. Every test runs in
 * a separate process. */
#include "tests/support/shards.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/gmp/real.h"
#include "lib/operate/shards/product_sum.h"
#include "tests/support/twin_impl.h"

static const struct shards_devices devices[] = {{"two with copies", "0+1", 2, true},
                                                {"two without", "0+1", 2, false},
                                                {"three with copies", "all", 3, true},
                                                {"three without", "all", 3, false}};
enum { KINDS = sizeof devices / sizeof *devices };

/* ---- the cut */

/* Computes shard `to` of the result: its own product, plus the overlapping parts of the other
 * shards' products. Sets carry[] to the carries at both ends of the limbs to which only this shard
 * contributes. */
static void deliver(const struct product_layout *c, mp_limb_t *const p[], unsigned to,
                    mp_limb_t *rp, mp_limb_t carry[PRODUCT_SUM_SIDES]) {
    size_t at, limbs, n = c->at[to + 1] - c->at[to], alone_at,
                      alone = product_layout_alone(c, to, &alone_at);
    carry[BELOW] = carry[ABOVE] = 0;
    memcpy(rp + c->at[to], p[to] + c->at[to] - c->from[to], n * sizeof *rp);
    for (unsigned by = 0; by < c->shards; by++) {
        if (by == to || !product_layout_part(c, by, to, &at, &limbs))
            continue;
        ck_assert_uint_eq(at % PRODUCT_LAYOUT_LIMBS, 0);
        ck_assert(at + limbs <= alone_at || at >= alone_at + alone);
        size_t end = at < alone_at ? alone_at : c->at[to + 1];
        carry[at < alone_at ? BELOW : ABOVE] += mpn_add(rp + at, rp + at, (mp_size_t)(end - at),
                                                        p[by] + at - c->from[by], (mp_size_t)limbs);
    }
}

/* Adds a carry to the result at limb `at`. No carry may run beyond the result's end. */
static void carry_into(const struct product_layout *c, mp_limb_t *rp, size_t at, mp_limb_t carry) {
    size_t end = c->at[c->shards];
    if (at < end)
        carry = mpn_add_1(rp + at, rp + at, (mp_size_t)(end - at), carry);
    ck_assert_uint_eq(carry, 0);
}

static void check_cut(size_t un, size_t vn, unsigned shards) {
    struct product_layout c;
    struct shards_case k = shards_case(un, vn);
    mp_limb_t *p[PRODUCT_SHARDS], carry[PRODUCT_SHARDS][PRODUCT_SUM_SIDES];
    size_t alone_at;
    ck_assert(product_layout_init(&c, un, vn, shards));
    testing_limbs(k.up, un);
    testing_limbs(k.vp, vn);
    for (unsigned i = 0; i < shards; i++) {
        size_t n = c.from[i + 1] - c.from[i];
        p[i] = malloc(product_layout_limbs(&c, i) * sizeof *p[i]);
        if (n < vn)
            real.mpn_mul(p[i], k.vp, (mp_size_t)vn, k.up + c.from[i], (mp_size_t)n);
        else
            real.mpn_mul(p[i], k.up + c.from[i], (mp_size_t)n, k.vp, (mp_size_t)vn);
    }
    for (unsigned i = 0; i < shards; i++)
        deliver(&c, p, i, k.rp, carry[i]);
    for (unsigned i = 0; i < shards; i++) {
        product_layout_alone(&c, i, &alone_at);
        carry_into(&c, k.rp, alone_at, carry[i][BELOW]);
        carry_into(&c, k.rp, c.at[i + 1], carry[i][ABOVE]);
    }
    real.mpn_mul(k.right, k.up, (mp_size_t)un, k.vp, (mp_size_t)vn);
    ck_assert_msg(mpn_cmp(k.right, k.rp, (mp_size_t)(un + vn)) == 0, "%zu by %zu in %u", un, vn,
                  shards);
    for (unsigned i = 0; i < shards; i++)
        free(p[i]);
    shards_free(&k);
}

START_TEST(cuts) {
    struct product_layout c;
    /* GMP's calls inside this test must not use a device */
    setenv("MPGPU_CONF", "backend:none", 1);
    for (unsigned shards = 1; shards <= PRODUCT_SHARDS; shards++) {
        size_t least = shards * PRODUCT_LAYOUT_LIMBS;
        ck_assert(!product_layout_init(&c, least - 1, 1, shards));
        for (int k = 0; k < 100; k++) {
            size_t un = least + testing_size(2000), vn = testing_size(un);
            check_cut(un, vn, shards);
        }
        check_cut(least, 1, shards);
        check_cut(least, least, shards);
    }
}
END_TEST

/* ---- products */

enum operand { ANY, ZERO, ONES, ONE, POWER, POWER_PLUS, RUNS, OPERANDS };

/* Fills x with a special operand: 0, B^n - 1, 1, B^(n-1), B^(n-1) + 1 (B = 2^64), or all ones
 * except the highest limb; or with random limbs. */
static void fill(mp_limb_t *xp, size_t n, enum operand which) {
    if (which == ANY) {
        testing_limbs(xp, n);
        return;
    }
    memset(xp, which == ONES || which == RUNS ? 0xff : 0, n * sizeof *xp);
    if (which == ONE || which == POWER_PLUS)
        xp[0] = 1;
    if (which == POWER || which == POWER_PLUS || which == RUNS)
        xp[n - 1] = 1;
}

static const struct {
    size_t un, vn;
} sizes[] = {{512, 512}, {513, 511},  {576, 64},    {1000, 1},   {192, 192},
             {193, 5},   {1537, 999}, {2048, 2048}, {4100, 2050}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void check_product(const struct shards_devices *d, size_t un, size_t vn, enum operand u,
                          enum operand v, bool is_square) {
    struct shards_case c = shards_case(un, vn);
    fill(c.up, un, u);
    fill(c.vp, vn, v);
    ck_assert_int_eq(shards_multiply(&c, is_square), OUTCOME_DONE);
    shards_check(&c, d->name);
    ck_assert_uint_eq(shards_calls(0), c.calls[0] + 1);
    ck_assert_uint_eq(shards_calls(1), c.calls[1] + 1);
    ck_assert_uint_eq(shards_calls(2), c.calls[2] + (d->count > 2 && d->peers));
    shards_free(&c);
}

START_TEST(products) {
    const struct shards_devices *d = &devices[_i];
    shards_begin(d, "shard:1");
    for (int k = 0; k < SIZES; k++)
        check_product(d, sizes[k].un, sizes[k].vn, ANY, ANY, false);
    for (int u = ZERO; u < OPERANDS; u++)
        for (int v = ZERO; v < OPERANDS; v++)
            check_product(d, 704, 640, (enum operand)u, (enum operand)v, false);
    ck_assert_int_eq(twins[0].peer_copies + twins[1].peer_copies > 0, d->peers);
}
END_TEST

/* Operands with fewer limbs than the option `shard` must not be copied between devices: each device
 * uploads them from host memory. */
START_TEST(without_loans) {
    const struct shards_devices *d = &devices[2 * _i];
    shards_begin(d, "shard:1100");
    for (int u = ANY; u < OPERANDS; u++)
        check_product(d, 1003, 900, (enum operand)u, ONES, false);
    check_product(d, 6000, 700, ANY, ANY, false);
}
END_TEST

START_TEST(squares) {
    const struct shards_devices *d = &devices[_i];
    shards_begin(d, "shard:1");
    for (int u = ANY; u < OPERANDS; u++)
        check_product(d, 700, 700, (enum operand)u, ANY, true);
    check_product(d, 3000, 3000, ANY, ANY, true);
}
END_TEST

/* Tests operands in the pool (the library's memory for large results), which devices of some
 * backends access directly. Operands begin at any offset in a page. */
START_TEST(in_the_pool) {
    const struct shards_devices *d = &devices[_i];
    shards_begin(d, "shard:1");
    backend.locks_for_all = twin_real()->locks_for_all;
    for (int k = 0; k < 12; k++) {
        size_t un = 192 + testing_size(20000), vn = testing_size(un);
        struct shards_case c = shards_case_in(pool_alloc, un, vn);
        fill(c.up, un, k % 2 ? ANY : RUNS);
        fill(c.vp, vn, k % 3 ? ANY : ONES);
        ck_assert_int_eq(shards_multiply(&c, false), OUTCOME_DONE);
        shards_check(&c, d->name);
        ck_assert_uint_eq(shards_calls(1), c.calls[1] + 1);
        shards_free(&c);
    }
}
END_TEST

/* Tests random sizes, from products that one launch computes to products by several transform
 * lengths. */
START_TEST(random_products) {
    const struct shards_devices *d = &devices[_i];
    unsigned long count = testing_option("MPGPU_TEST_PRODUCTS", 12);
    shards_begin(d, "shard:1");
    for (unsigned long k = 0; k < count; k++) {
        size_t un = 192 + testing_size(20000), vn = testing_size(un);
        check_product(d, un, vn, ANY, ANY, false);
    }
}
END_TEST

/* Computes r = u v by mpz_mul. The library must split the product between the devices. */
static void call(mpz_ptr r, mpz_srcptr u, mpz_srcptr v) {
    mpz_t right;
    mpz_init(right);
    real.mpz_mul(right, u, v);
    uint64_t calls = shards_calls(1);
    mpz_mul(r, u, v);
    ck_assert_uint_eq(shards_calls(1), calls + 1);
    ck_assert_int_eq(mpz_cmp(r, right), 0);
    mpz_clear(right);
}

/* Tests mpz_mul with results in place of operands. */
START_TEST(by_mpz) {
    mpz_t u, v, r;
    shards_begin(&devices[_i], "shard:1");
    mpz_inits(u, v, r, NULL);
    mpz_rrandomb(u, *testing_random(), 100000);
    mpz_rrandomb(v, *testing_random(), 70000);
    call(r, u, v);
    mpz_neg(r, u);
    call(r, r, v);
    call(v, u, v);
    call(u, u, u);
    mpz_clears(u, v, r, NULL);
}
END_TEST

/* ---- several threads */

enum { THREADS = 5, ROUNDS = 6 };

static void *multiply(void *unused) {
    (void)unused;
    struct shards_case c = shards_case(2500, 2100);
    memset(c.up, 0x77, c.un * sizeof *c.up);
    memset(c.vp, 0xf3, c.vn * sizeof *c.vp);
    for (int k = 0; k < ROUNDS; k++) {
        if (shards_multiply(&c, false) != OUTCOME_DONE)
            return NULL;
        shards_check(&c, "threads");
    }
    shards_free(&c);
    return &backend;
}

/* Several threads multiply at the same time. The library splits one product at a time between the
 * devices; one device computes each of the others. */
START_TEST(threads) {
    pthread_t thread[THREADS];
    void *good;
    shards_begin(&devices[_i], "shard:1");
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, multiply, NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], &good);
        ck_assert_ptr_nonnull(good);
    }
    /* at least one, because one call may compute the products of several threads */
    ck_assert_uint_ge(shards_calls(0), 1);
    ck_assert_uint_ge(shards_calls(1), 1);
}
END_TEST

/* ---- not shared */

static const struct {
    const char *conf;
    size_t n;
    bool is_shared;
} options[] = {{"shard:2000", 1000, true},
               {"shard:2001", 1000, false},
               {"shard:never", 1000, false},
               {"shared:auto", 1000, false},
               {"shard:1", 63, false},
               {"shard:1,verify:off", 1000, true},
               {"shard:1,verify:residue", 1000, false},
               {"shard:1,clear:true", 1000, false}};
enum { OPTIONS = sizeof options / sizeof *options };

static void check_shared_square(size_t n, bool is_shared, int bound, bool is_square) {
    struct shards_case c = shards_case(n, n);
    c.bound = bound;
    fill(c.up, n, ANY);
    fill(c.vp, n, ANY);
    ck_assert_int_eq(shards_multiply(&c, is_square), OUTCOME_DONE);
    shards_check(&c, "options");
    unsigned long first = shards_calls(0) - c.calls[0], second = shards_calls(1) - c.calls[1];
    ck_assert_msg(first + second == 1ul + is_shared, "%s: calls: %lu and %lu",
                  is_shared ? "shared" : "alone", first, second);
    shards_free(&c);
}

static void check_shared(size_t n, bool is_shared, int bound) {
    check_shared_square(n, is_shared, bound, false);
}

START_TEST(by_option) {
    shards_begin(&devices[0], options[_i].conf);
    check_shared(options[_i].n, options[_i].is_shared, SESSION_ANY);
}
END_TEST

/* A thread that is bound to one device must not split products between devices. If only one device
 * is left, no thread may split products. */
START_TEST(bound_or_alone) {
    shards_begin(&devices[0], "shard:1");
    check_shared(1000, false, 1);
    check_shared(1000, true, SESSION_ANY);
    session_device_leave_alone(session_device(0), "of a test");
    check_shared(1000, false, SESSION_ANY);
}
END_TEST

/* The option `shard` counts the limbs of a product's result. A square must have twice this length
 * before it is split. */
START_TEST(larger_squares) {
    shards_begin(&devices[_i], "shard:1000");
    check_shared_square(999, false, SESSION_ANY, true);
    check_shared_square(1000, true, SESSION_ANY, true);
    check_shared(999, true, SESSION_ANY);
}
END_TEST

static void handle(int number) {
    (void)number;
    _exit(1);
}

/* If the program handles SIGSEGV, perhaps only its own threads may access its memory. So the
 * library must not split a product, which needs another thread. */
START_TEST(faults_handled) {
    shards_begin(&devices[0], "shard:1");
    signal(SIGSEGV, handle);
    check_shared(1000, false, SESSION_ANY);
    signal(SIGSEGV, SIG_DFL);
    check_shared(1000, true, SESSION_ANY);
}
END_TEST

/* The operands that a signal handler multiplies. A handler may start no thread, so the library must
 * not split the product. */
static struct shards_case there;

static void multiply_there(int number) {
    (void)number;
    for (unsigned i = 0; i < TWINS_MOST; i++)
        there.calls[i] = shards_calls(i);
    limbs_mul(there.rp, there.up, there.un, there.vp, there.vn);
}

START_TEST(in_handler) {
    shards_begin(&devices[0], "shard:1");
    there = shards_case(1000, 900);
    fill(there.up, 1000, ANY);
    fill(there.vp, 900, ANY);
    ck_assert_int_eq(shards_multiply(&there, false), OUTCOME_DONE);
    ck_assert_uint_eq(shards_calls(1), there.calls[1] + 1);
    memset(there.rp, 0x5a, 1900 * sizeof *there.rp);
    signal(SIGUSR1, multiply_there);
    raise(SIGUSR1);
    shards_check(&there, "in a handler");
    ck_assert_uint_eq(shards_calls(0) + shards_calls(1), there.calls[0] + there.calls[1] + 1);
    shards_free(&there);
}
END_TEST

/* In this test the third device cannot copy from another device, or cannot be copied from. The
 * other two devices must compute the product, and exchange data through host memory. */
static bool has_peer_to_third(const gpu_device_impl *dev, const gpu_device_impl *from) {
    (void)from;
    return ((const struct twin_device *)(const void *)dev)->index != 2;
}

static bool has_peer_from_third(const gpu_device_impl *dev, const gpu_device_impl *from) {
    (void)dev;
    return ((const struct twin_device *)(const void *)from)->index != 2;
}

START_TEST(not_each_is_a_peer) {
    shards_begin(&devices[2], "shard:1");
    backend.has_peer = _i == 0 ? has_peer_to_third : has_peer_from_third;
    check_shared(1000, true, SESSION_ANY);
    ck_assert_uint_eq(shards_calls(2), 0);
    ck_assert_int_eq(twins[0].peer_copies + twins[1].peer_copies + twins[2].peer_copies, 0);
}
END_TEST

/* The library must not split a product between devices of very different size, because the smaller
 * device would delay the larger one. */
START_TEST(unlike) {
    twin_small = _i;
    shards_begin(&devices[0], "shard:1");
    check_shared(1000, false, SESSION_ANY);
}
END_TEST

/* If the devices have too little memory for their parts of a product, one device must compute the
 * whole product in pieces. */
START_TEST(little_memory) {
    shards_begin(&devices[0], "shard:1,memory:6M");
    struct shards_case c = shards_case(200000, 150000);
    fill(c.up, c.un, ANY);
    fill(c.vp, c.vn, ANY);
    ck_assert_int_eq(shards_multiply(&c, false), OUTCOME_DONE);
    shards_check(&c, "little memory");
    shards_free(&c);
    check_shared(1000, true, SESSION_ANY);
}
END_TEST

int main(void) {
    return twins_main("product_shards",
                      TESTS(ONCE(cuts), LOOP(products, KINDS), LOOP(without_loans, 2),
                            LOOP(squares, KINDS), LOOP(random_products, KINDS),
                            LOOP(in_the_pool, KINDS), LOOP(by_mpz, 2), LOOP(threads, KINDS),
                            LOOP(by_option, OPTIONS), ONCE(bound_or_alone), LOOP(larger_squares, 2),
                            ONCE(faults_handled), ONCE(in_handler), LOOP(not_each_is_a_peer, 2),
                            LOOP(unlike, 2), ONCE(little_memory)));
}
