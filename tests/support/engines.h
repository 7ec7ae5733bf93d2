/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Three engines that can compute a composite operation. All follow the same description of its
 * steps, the recipe (lib/algorithms/recipe.h). Tests with PER_DEVICE(test, ENGINES) run with each
 * engine on every backend. */
#ifndef MPGPU_TEST_ENGINES_H
#define MPGPU_TEST_ENGINES_H

#include "lib/algorithms/composite.h"
#include "tests/support/composite.h"

/* Where the operation and its products are computed. ENGINE_DEVICE: both on the device.
 * ENGINE_HOST: both on the host. ENGINE_PRODUCTS: only the products on the device. */
enum engine { ENGINE_DEVICE, ENGINE_HOST, ENGINE_PRODUCTS, ENGINES };
enum { ENGINE_PRODUCT_LIMBS = 300 };

static enum engine engine;
/* the composite operation that a test runs, with its outcome */
static struct composite engine_work;

/* Selects engine and backend for loop i of a test, and opens the device.  Call it in the child
 * process of each test. */
static inline void engine_open(int i) {
    engine = (enum engine)(i % ENGINES);
    composite_open(backends[i / ENGINES]);
    mpgpu_conf.verify = engine == ENGINE_DEVICE ? VERIFY_DEVICE : VERIFY_RESIDUE;
    mpgpu_conf.dispatch = DISPATCH_FIXED;
    thresholds.div = 1;
    if (engine == ENGINE_PRODUCTS)
        thresholds.mul = thresholds.sqr = thresholds.mulmod = ENGINE_PRODUCT_LIMBS;
}

/* Checks that the operation was computed, and by the selected engine. */
static inline void engine_check(bool done, const char *what, size_t n) {
    ck_assert_msg(done, "%s of %zu limbs: not done", what, n);
    ck_assert_msg(engine_work.failed == OUTCOME_DONE, "%s of %zu limbs: the device failed: %d",
                  what, n, engine_work.failed);
    ck_assert_msg(engine == ENGINE_PRODUCTS || (engine_work.sent > 0) == (engine == ENGINE_DEVICE),
                  "%s of %zu limbs: by another engine", what, n);
    engine_work = (struct composite){0};
}

#endif
