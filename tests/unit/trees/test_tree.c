/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests product trees and remainder trees (include/mpgpu.h), compared with GMP. The number of
 * leaves (factors) is small, near a power of two, or random. The leaves of a tree have one size or
 * many sizes, and may be 1, 0 or negative. Dividends have all lengths. Tests run with and without a
 * device, and in a child of fork. MPGPU_TEST_TREES: number of random trees for each backend. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat/intercept/call.h"
#include "compat/trees/tree.h"
#include "include/mpgpu.h"
#include "lib/base/conf.h"
#include "lib/gmp/normalize.h"
#include "lib/gmp/real.h"
#include "lib/session/session.h"
#include "tests/support/backends.h"
#include "tests/support/session_anew.h"

/* Opens the backend and stores the threshold in memory. An environment variable would come too
 * late: the library has already read its options. */
static void open_with(struct test_backend backend, int verify) {
    use_backend(backend, verify);
    session_wait();
    atomic_store(&thresholds.batch, 1);
}

/* ---- numbers */

enum shape { ALIKE, MIXED, TINY, SIGNED, SHAPES };

static void random_number(mpz_ptr x, size_t bits) {
    size_t n = bits / 64 + 1;
    mp_limb_t *p = limbs(n);
    testing_limbs(p, n);
    const mpz_t u = MPZ_ROINIT_N(p, (mp_size_t)normalize(p, n));
    mpz_t cut;
    mpz_init(cut);
    mpz_set_ui(cut, 1);
    mpz_mul_2exp(cut, cut, bits);
    real.mpz_mod(x, u, cut);
    mpz_clear(cut);
    free(p);
}

/* Sets x to a leaf (a factor of the product tree) other than 0, of at most `bits` bits. */
static void make_leaf(mpz_ptr x, size_t bits, enum shape shape) {
    random_number(x, shape == MIXED ? 1 + testing_below(bits) : shape == TINY ? 2 : bits);
    if (mpz_sgn(x) == 0 || testing_below(shape == MIXED ? 10 : 1000) == 0)
        mpz_set_ui(x, 1);
    if (shape == SIGNED && testing_below(2))
        mpz_neg(x, x);
}

static mpz_t *array(size_t count) {
    mpz_t *x = malloc(count * sizeof *x);
    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < count; i++)
        mpz_init(x[i]);
    return x;
}

static void drop(mpz_t *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        mpz_clear(x[i]);
    free(x);
}

struct forest {
    mpz_t *leaf, *r, root, right;
    size_t count, bits;
    mpgpu_tree *tree;
};

static void plant(struct forest *f, size_t count, size_t bits, enum shape shape) {
    *f = (struct forest){array(count), array(count), {{0}}, {{0}}, count, bits, NULL};
    mpz_init_set_ui(f->root, 1);
    mpz_init(f->right);
    for (size_t i = 0; i < count; i++) {
        make_leaf(f->leaf[i], bits, shape);
        real.mpz_mul(f->root, f->root, f->leaf[i]);
    }
    f->tree = mpgpu_tree_create((const mpz_t *)f->leaf, count);
    ck_assert_ptr_nonnull(f->tree);
    ck_assert_uint_eq(mpgpu_tree_count(f->tree), count);
}

static void fell(struct forest *f) {
    mpgpu_tree_destroy(f->tree);
    drop(f->leaf, f->count);
    drop(f->r, f->count);
    mpz_clear(f->root);
    mpz_clear(f->right);
}

/* ---- expected results */

static void compare_root(struct forest *f) {
    ck_assert_int_eq(mpgpu_tree_root(f->right, f->tree), 0);
    ck_assert_msg(mpz_cmp(f->right, f->root) == 0, "root of %zu leaves of %zu bits", f->count,
                  f->bits);
}

/* Sets r to x modulo the product of TOGETHER leaves, or of their squares, beginning with leaf
 * `first`. Then r, not x, can be divided by each of these leaves, which takes less time. */
enum { TOGETHER = 16 };
static void reduce(mpz_ptr r, const struct forest *f, size_t first, int exponent, mpz_srcptr x) {
    mpz_t all;
    mpz_init_set_ui(all, 1);
    for (size_t i = first; i < f->count && i < first + TOGETHER; i++)
        for (int k = 0; k < exponent; k++)
            real.mpz_mul(all, all, f->leaf[i]);
    real.mpz_mod(r, x, all);
    mpz_clear(all);
}

static void compare_mod(struct forest *f, mpz_srcptr x) {
    mpz_t rest;
    mpz_init(rest);
    ck_assert_int_eq(mpgpu_tree_mod(f->r, f->tree, x), 0);
    for (size_t i = 0; i < f->count; i++) {
        if (i % TOGETHER == 0)
            reduce(rest, f, i, 1, x);
        real.mpz_mod(f->right, rest, f->leaf[i]);
        ck_assert_msg(mpz_cmp(f->right, f->r[i]) == 0,
                      "%zu bits modulo leaf %zu of %zu of %zu bits", mpz_sizeinbase(x, 2), i,
                      f->count, f->bits);
    }
    mpz_clear(rest);
}

static void compare_squares(struct forest *f) {
    mpz_t root, rest, square;
    mpz_init(root);
    mpz_init(rest);
    mpz_init(square);
    mpz_abs(root, f->root);
    for (int is_cofactor = 0; is_cofactor < 2; is_cofactor++) {
        ck_assert_int_eq((is_cofactor ? mpgpu_tree_cofactors : mpgpu_tree_mod_sqr)(f->r, f->tree),
                         0);
        for (size_t i = 0; i < f->count; i++) {
            if (i % TOGETHER == 0)
                reduce(rest, f, i, 2, root);
            real.mpz_mul(square, f->leaf[i], f->leaf[i]);
            real.mpz_mod(f->right, rest, square);
            if (is_cofactor) {
                mpz_abs(square, f->leaf[i]);
                real.mpz_divexact(f->right, f->right, square);
            }
            ck_assert_msg(mpz_cmp(f->right, f->r[i]) == 0, "square of leaf %zu of %zu of %zu bits",
                          i, f->count, f->bits);
        }
    }
    mpz_clear(root);
    mpz_clear(rest);
    mpz_clear(square);
}

/* Compares the tree's root and the remainders of many x with GMP's. x is 0, random of up to five
 * times the root's length, or the root plus -1, 0 or 1. */
static void compare_all(struct forest *f) {
    size_t all = mpz_sizeinbase(f->root, 2);
    const size_t sizes[] = {1, f->bits, all / 2, all, all + 130, 2 * all, 5 * all};
    mpz_t x;
    mpz_init(x);
    compare_root(f);
    compare_mod(f, x);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        random_number(x, sizes[i] + 1);
        if (testing_below(4) == 0)
            mpz_neg(x, x);
        compare_mod(f, x);
    }
    for (long k = -1; k < 2; k++) {
        mpz_set_si(x, k);
        real.mpz_add(x, x, f->root);
        compare_mod(f, x);
    }
    compare_squares(f);
    mpz_clear(x);
}

static void compare(size_t count, size_t bits, enum shape shape) {
    struct forest f;
    plant(&f, count, bits, shape);
    compare_all(&f);
    fell(&f);
}

/* ---- tests */

START_TEST(counts) {
    open_with(backends[_i], VERIFY_DEVICE);
    unsigned long before = mpgpu_sent();
    for (size_t count = 1; count < 20; count++)
        compare(count, 100 + 64 * (count % 5), (enum shape)(count % SHAPES));
    compare(33, 128, ALIKE);
    compare(127, 65, MIXED);
    compare(257, 60, SIGNED);
    ck_assert_uint_ge(mpgpu_sent() - before, 22 * 10);
    ck_assert_int_eq(session_faults(), 0);
}
END_TEST

START_TEST(sizes) {
    open_with(backends[_i], VERIFY_DEVICE);
    for (size_t bits = 1; bits < 40000; bits = 3 * bits + testing_below(3))
        compare(5 + testing_below(3), bits, ALIKE);
    compare(3, 130000, MIXED);
    compare(37, 9000, ALIKE);
    ck_assert_int_eq(session_faults(), 0);
}
END_TEST

START_TEST(random_trees) {
    open_with(backends[_i], VERIFY_DEVICE);
    unsigned long trees = testing_option("MPGPU_TEST_TREES", 12);
    for (unsigned long i = 0; i < trees; i++)
        compare(1 + testing_size(200), 1 + testing_size(1500), (enum shape)testing_below(SHAPES));
    ck_assert_int_eq(session_faults(), 0);
}
END_TEST

/* Tests a tree that is so long that the device computes remainders by products modulo a number 2^k
 * - 1. */
START_TEST(long_tree) {
    open_with(backends[_i], VERIFY_DEVICE);
    struct forest f;
    plant(&f, 1200, 2048, ALIKE);
    ck_assert_int_eq(mpgpu_tree_on_device(f.tree), 1);
    compare_root(&f);
    compare_squares(&f);
    random_number(f.root, 3000000);
    compare_mod(&f, f.root);
    fell(&f);
    ck_assert_int_eq(session_faults(), 0);
}
END_TEST

START_TEST(from_batch) {
    open_with(backends[_i], VERIFY_DEVICE);
    for (size_t n = 1; n < 5; n++)
        for (size_t count = 1; count < 30; count += 7) {
            struct forest f;
            mpgpu_batch *b = mpgpu_batch_create(count, n);
            mp_limb_t *p = calloc(count * n, sizeof *p);
            plant(&f, count, 64 * n, ALIKE);
            mpgpu_tree_destroy(f.tree);
            for (size_t i = 0; i < count; i++)
                memcpy(p + i * n, mpz_limbs_read(f.leaf[i]), mpz_size(f.leaf[i]) * sizeof *p);
            ck_assert_int_eq(mpgpu_batch_set(b, p), 0);
            f.tree = mpgpu_tree_create_batch(b);
            ck_assert_ptr_nonnull(f.tree);
            mpgpu_batch_destroy(b);
            compare_root(&f);
            compare_squares(&f);
            free(p);
            fell(&f);
        }
}
END_TEST

START_TEST(verified_by_gmp) {
    open_with(backends[_i], _i & 1 ? VERIFY_FULL : VERIFY_RESIDUE);
    compare(20, 300, SIGNED);
}
END_TEST

START_TEST(unchecked) {
    open_with(backends[_i], VERIFY_OFF);
    compare(20, 300, SIGNED);
}
END_TEST

START_TEST(by_gmp) {
    open_with((struct test_backend){"none", 0}, VERIFY_DEVICE);
    for (size_t count = 1; count < 20; count++)
        compare(count, 300, (enum shape)(count % SHAPES));
    ck_assert_uint_eq(mpgpu_sent(), 0);
}
END_TEST

/* A child of fork must be able to use a tree that its parent has on the device. */
START_TEST(in_a_child) {
    struct forest f;
    int status;
    open_with(backends[_i], VERIFY_DEVICE);
    plant(&f, 30, 300, SIGNED);
    ck_assert_int_eq(mpgpu_tree_on_device(f.tree), 1);
    pid_t child = fork();
    if (child == 0) {
        compare_root(&f);
        compare_squares(&f);
        compare_mod(&f, f.root);
        fell(&f);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    compare_all(&f);
    fell(&f);
}
END_TEST

START_TEST(bad_arguments) {
    struct forest f;
    open_with(backends[_i], VERIFY_DEVICE);
    plant(&f, 7, 300, ALIKE);
    ck_assert_ptr_null(mpgpu_tree_create((const mpz_t *)f.leaf, 0));
    ck_assert_str_ne(mpgpu_error(), "");
    ck_assert_ptr_null(mpgpu_tree_create(NULL, 3));
    ck_assert_ptr_null(mpgpu_tree_create_batch(NULL));
    ck_assert_int_eq(mpgpu_tree_root(NULL, f.tree), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_tree_root(f.right, NULL), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_tree_mod(f.r, f.tree, NULL), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_tree_mod(NULL, f.tree, f.root), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_tree_mod_sqr(NULL, f.tree), MPGPU_ARGUMENTS);
    ck_assert_int_eq(mpgpu_tree_cofactors(f.r, NULL), MPGPU_ARGUMENTS);
    mpgpu_tree_destroy(NULL);
    mpgpu_tree_destroy(f.tree);
    mpz_set_ui(f.leaf[3], 0);
    f.tree = mpgpu_tree_create((const mpz_t *)f.leaf, f.count);
    mpz_set_ui(f.root, 0);
    compare_root(&f);
    ck_assert_int_eq(mpgpu_tree_mod(f.r, f.tree, f.leaf[0]), MPGPU_DIVIDE_BY_ZERO);
    ck_assert_int_eq(mpgpu_tree_mod_sqr(f.r, f.tree), MPGPU_DIVIDE_BY_ZERO);
    ck_assert_int_eq(mpgpu_tree_cofactors(f.r, f.tree), MPGPU_DIVIDE_BY_ZERO);
    fell(&f);
}
END_TEST

/* ---- the host's check of the lowest bits of remainders, in which the device's own check cannot
 * see errors */

enum { LEAVES = 5, LEAF_LIMBS = 4 };

static void store(mp_limb_t *to, mpz_srcptr x) {
    for (size_t k = 0; k < LEAF_LIMBS; k++)
        to[k] = mpz_getlimbn(x, (mp_size_t)k);
}

/* Makes the remainder of a leaf N wrong: adds multiples of N / 2^i, modulo N. N is divisible by
 * 2^zeros. The check of the lowest bits must find each of these errors. */
static void expect_found(const mpgpu_tree *t, enum tree_kind kind, mpz_srcptr x, mp_limb_t *r,
                         size_t leaf, size_t zeros) {
    mp_limb_t *own = r + leaf * LEAF_LIMBS;
    const mpz_t n = TREE_LEAF(t, leaf);
    mpz_t right, wrong;
    mpz_init(right);
    mpz_init(wrong);
    mpz_import(right, LEAF_LIMBS, -1, sizeof *own, 0, 0, own);
    for (size_t i = 1; i <= zeros; i++) {
        mpz_fdiv_q_2exp(wrong, n, i);
        mpz_mul_ui(wrong, wrong, 2305843009213693921u);
        mpz_add(wrong, wrong, right);
        real.mpz_mod(wrong, wrong, n);
        store(own, wrong);
        ck_assert_msg(tree_look_at_low_bits(t, kind, mpz_limbs_read(x), mpz_size(x), r) ==
                          OUTCOME_FAILED,
                      "kind %d: bit %zu of %zu is not found", kind, i, zeros);
    }
    store(own, right);
    mpz_clear(right);
    mpz_clear(wrong);
}

START_TEST(low_bits) {
    static const size_t few[LEAVES] = {0, 1, 17, 63, 64}, more[LEAVES] = {65, 128, 192, 3, 255};
    const enum tree_kind kind = _i % 2 ? TREE_COFACTOR : TREE_REMAINDER;
    const size_t *zeros = _i < 2 || kind == TREE_COFACTOR ? few : more;
    mp_limb_t leaves[LEAVES * LEAF_LIMBS], r[LEAVES * LEAF_LIMBS];
    mpgpu_tree t = {.count = LEAVES, .n = LEAF_LIMBS, .leaves = leaves};
    mpz_t x, n, y;
    mpz_init(x);
    mpz_init(n);
    mpz_init(y);
    if (kind == TREE_REMAINDER)
        random_number(x, 1 + testing_below(2000));
    else
        mpz_set_ui(x, 1); /* x becomes the product of all leaves */
    for (size_t i = 0; i < LEAVES; i++) {
        random_number(n, 256 - zeros[i]);
        mpz_setbit(n, 0);
        mpz_mul_2exp(n, n, zeros[i]);
        store(leaves + i * LEAF_LIMBS, n);
        if (kind == TREE_COFACTOR)
            mpz_mul(x, x, n);
    }
    for (size_t i = 0; i < LEAVES; i++) {
        const mpz_t leaf = TREE_LEAF(&t, i);
        if (kind == TREE_COFACTOR)
            mpz_divexact(y, x, leaf);
        real.mpz_mod(y, kind == TREE_COFACTOR ? y : x, leaf);
        store(r + i * LEAF_LIMBS, y);
    }
    ck_assert_int_eq(tree_look_at_low_bits(&t, kind, mpz_limbs_read(x), mpz_size(x), r),
                     OUTCOME_DONE);
    for (size_t i = 0; i < LEAVES; i++)
        expect_found(&t, kind, x, r, i, zeros[i]);
    mpz_clear(x);
    mpz_clear(n);
    mpz_clear(y);
}
END_TEST

int main(void) {
    setenv("MPGPU_CONF", "open:wait,watchdog:600,log:1,batch:1,mul:never,sqr:never,add:never", 1);
    return run_on_backends("trees",
                           TESTS(PER_DEVICE(counts, 1), PER_DEVICE(sizes, 1),
                                 PER_DEVICE(random_trees, 1), PER_DEVICE(long_tree, 1),
                                 PER_DEVICE(from_batch, 1), PER_DEVICE(verified_by_gmp, 1),
                                 PER_DEVICE(unchecked, 1), PER_DEVICE(in_a_child, 1),
                                 PER_DEVICE(bad_arguments, 1), ONCE(by_gmp), LOOP(low_bits, 40)),
                           NULL);
}
