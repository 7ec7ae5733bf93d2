/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Modular batches by Barrett's reduction by the device's thread, for a thread of the program.  Each
 * returns OUTCOME_DONE, or why it was not done; OUTCOME_SIZE where numbers are too long. */
#ifndef MPGPU_BARRETT_RUN_H
#define MPGPU_BARRETT_RUN_H

#include "lib/base/outcome.h"
#include "lib/device/kept.h"
#include "lib/modular/barrett.h"

/* The operation, checked (lib/modular/barrett.h). */
enum outcome barrett_run(const struct barrett_operation *b, struct kept *kept);

/* What depends on the moduli alone, the same way. */
enum outcome barrett_run_moduli(const struct modular_request *request, struct kept *kept);

#endif
