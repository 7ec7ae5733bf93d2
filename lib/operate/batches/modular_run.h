/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Modular batches by the device's thread, for a thread of the program.  Each returns OUTCOME_DONE,
 * or why it was not done. */
#ifndef MPGPU_MODULAR_RUN_H
#define MPGPU_MODULAR_RUN_H

#include "lib/base/outcome.h"
#include "lib/device/kept.h"
#include "lib/modular/modular.h"

/* The operation, checked (lib/modular/modular.h); OUTCOME_SIZE where its numbers are too long. */
enum outcome modular_run(const struct modular_operation *op, struct kept *kept);

/* What depends on the moduli alone, the same way. */
enum outcome modular_run_moduli(const struct modular_request *request, struct kept *kept);

#endif
