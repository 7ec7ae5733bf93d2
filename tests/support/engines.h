/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The engines that run a recipe (lib/algorithms/recipe.h), each on every backend that has a device:
 * a property of a composite operation is tested with all of them, in PER_DEVICE(test, ENGINES). */
#ifndef MPGPU_TEST_ENGINES_H
#define MPGPU_TEST_ENGINES_H

#include "lib/algorithms/composite.h"
#include "tests/support/composite.h"

/* The device; the host, with products by GMP, or by the device. */
enum engine { ENGINE_DEVICE, ENGINE_HOST, ENGINE_PRODUCTS, ENGINES };
enum { ENGINE_PRODUCT_LIMBS = 300 };

static enum engine engine;
static struct composite engine_work; /* what became of the operation */

/* Opens the backend of loop i, for its engine: in the child of each test. */
static inline void engine_open(int i) {
    engine = (enum engine)(i % ENGINES);
    composite_open(backends[i / ENGINES]);
    mpgpu_conf.verify = engine == ENGINE_DEVICE ? VERIFY_DEVICE : VERIFY_RESIDUE;
    mpgpu_conf.dispatch = DISPATCH_FIXED;
    thresholds.div = 1;
    if (engine == ENGINE_PRODUCTS)
        thresholds.mul = thresholds.sqr = thresholds.mulmod = ENGINE_PRODUCT_LIMBS;
}

/* An operation that has returned `done` was computed by the engine. */
static inline void engine_check(bool done, const char *what, size_t n) {
    ck_assert_msg(done, "%s of %zu limbs: not done", what, n);
    ck_assert_msg(engine_work.failed == OUTCOME_DONE, "%s of %zu limbs: the device failed: %d",
                  what, n, engine_work.failed);
    ck_assert_msg(engine == ENGINE_PRODUCTS || (engine_work.sent > 0) == (engine == ENGINE_DEVICE),
                  "%s of %zu limbs: by another engine", what, n);
    engine_work = (struct composite){0};
}

#endif
