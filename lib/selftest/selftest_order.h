/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Known answers of comparison and selection in batches. */
#ifndef MPGPU_SELFTEST_ORDER_H
#define MPGPU_SELFTEST_ORDER_H

#include "lib/multiply/batch_order.h"

/* Once a context; GPU_FAILED where an answer is wrong. */
enum gpu_status selftest_order(struct context *s);

#endif
