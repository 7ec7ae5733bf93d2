/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests trees (include/mpgpu.h) on a device that fails: no value may be lost, and every result must
 * be GMP's. A session opens a device, creates a tree, queries it and closes the device. In each
 * session one backend call fails, several fail, one never returns, or one launch leaves a wrong
 * word. */
#include "tests/unit/fault/fault_sweep.h"

enum { BITS = 190, LEAVES = 7 };

static mpz_t x, root, leaf[LEAVES], rest[LEAVES], cofactor[LEAVES];

static void prepare(void) {
    mpz_t square;
    mpz_init(square);
    pattern(x, 3, 5 * BITS);
    mpz_init_set_ui(root, 1);
    for (unsigned i = 0; i < LEAVES; i++) {
        pattern(leaf[i], 5 + 2 * i, BITS);
        real.mpz_mul(root, root, leaf[i]);
        mpz_init(rest[i]);
        mpz_init(cofactor[i]);
        real.mpz_mod(rest[i], x, leaf[i]);
    }
    for (int i = 0; i < LEAVES; i++) {
        real.mpz_mul(square, leaf[i], leaf[i]);
        real.mpz_mod(cofactor[i], root, square);
        real.mpz_divexact(cofactor[i], cofactor[i], leaf[i]);
    }
    mpz_clear(square);
}

static void expect(mpz_t *got, mpz_t *right, int count, const char *what) {
    for (int i = 0; i < count; i++)
        ck_assert_msg(mpz_cmp(got[i], right[i]) == 0, "%s %d: wrong: %s", what, i, plan_text());
}

static void compute(void) {
    mpz_t r[LEAVES];
    for (int i = 0; i < LEAVES; i++)
        mpz_init(r[i]);
    mpgpu_tree *t = mpgpu_tree_create((const mpz_t *)leaf, LEAVES);
    ck_assert_ptr_nonnull(t);
    must(mpgpu_tree_mod(r, t, x));
    expect(r, rest, LEAVES, "remainder");
    must(mpgpu_tree_cofactors(r, t));
    expect(r, cofactor, LEAVES, "cofactor");
    must(mpgpu_tree_root(r[0], t));
    expect(r, &root, 1, "root");
    mpgpu_tree_destroy(t);
    for (int i = 0; i < LEAVES; i++)
        mpz_clear(r[i]);
}

static const struct sweep sweep = {.name = "tree_fault",
                                   .options = "open:wait,mul:1,sqr:1,add:never,batch:1",
                                   .prepare = prepare,
                                   .compute = compute,
                                   .sent = 4};

int main(void) {
    return run_sweep();
}
