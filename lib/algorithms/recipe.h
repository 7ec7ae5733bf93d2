/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs recipes: functions of a struct calc (lib/calc/calc.h), each of which computes a composite
 * operation on the device, or else on the host by products. */
#ifndef MPGPU_RECIPE_H
#define MPGPU_RECIPE_H

#include "lib/algorithms/composite.h"
#include "lib/operate/composition.h"

/* Runs `work` on a copy of {argument, size}, which replaces *argument; `touches` are its operands
 * and results.  Several devices may share it if its longest products have `limbs` limbs, or 0.  If
 * the device cannot do it, the host does, product by product (composite_mul).  False if there is no
 * memory: results may be anything then, and *argument is unchanged. */
bool recipe_run(struct composite *w, void (*work)(struct calc *c, void *argument), void *argument,
                size_t size, const struct touch *touches, size_t count, size_t limbs);

/* The same on the host alone. */
bool recipe_run_on_host(struct composite *w, void (*work)(struct calc *c, void *argument),
                        void *argument);

/* Numbers of the host's engine that stay for several runs. */
struct recipe_host {
    struct calc c;
    struct calc_host host;
};

/* Memory for what `work` does.  False if there is none; otherwise recipe_close must follow. */
bool recipe_open(struct recipe_host *h, struct composite *w,
                 void (*work)(struct calc *c, void *argument), void *argument);
void recipe_close(struct recipe_host *h);

#endif
