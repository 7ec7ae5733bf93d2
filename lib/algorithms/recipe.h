/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs recipes.  A recipe is a function of a struct calc (lib/calc/calc.h) that computes one
 * composite operation. */
#ifndef MPGPU_RECIPE_H
#define MPGPU_RECIPE_H

#include "lib/algorithms/composite.h"
#include "lib/job/job.h"

/* Computes a composite operation of lib/job/ops.def on the device.  If the device cannot, the host
 * computes it product by product (composite_mul).  Returns false if memory is missing: operands are
 * unchanged then, and results may be anything. */
bool recipe_run(struct composite *w, struct job *job);

/* Does the same as recipe_run, but on the host alone. */
bool recipe_run_on_host(struct composite *w, struct job *job);

/* Plans the steps of `work` on the host and allocates memory for their numbers, which several runs
 * of `work` can use. Returns false if memory is missing; otherwise recipe_close must follow. */
bool recipe_open(struct calc *c, struct composite *w, void (*work)(struct calc *c, void *argument),
                 void *argument);
void recipe_close(struct calc *c);

#endif
