/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Comparison and selection in batches, through the session. */
#ifndef MPGPU_ORDER_RUN_H
#define MPGPU_ORDER_RUN_H

#include "lib/base/outcome.h"
#include "lib/multiply/batch_order.h"

/* The operation, checked; OUTCOME_DONE, or why it was not done, and r may hold anything. */
enum outcome order_run(const struct batch_order *op);

#endif
