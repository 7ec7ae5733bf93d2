/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations on batches by the device's thread, with the residues that the host keeps. */
#ifndef MPGPU_KEPT_RUN_H
#define MPGPU_KEPT_RUN_H

#include "lib/base/outcome.h"
#include "lib/device/kept.h"

/* session_run of a copy of {argument, size}.  Compares the residues of the operands and sets those
 * of the results; kept may be NULL. */
enum outcome kept_run(enum gpu_status (*work)(struct context *s, void *argument),
                      const void *argument, size_t size, size_t bytes, struct kept *kept);

#endif
