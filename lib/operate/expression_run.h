/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Expressions by the device's thread, for a thread of the program. */
#ifndef MPGPU_EXPRESSION_RUN_H
#define MPGPU_EXPRESSION_RUN_H

#include "lib/expression/expression.h"
#include "lib/operate/batch_run.h"

/* The results, checked (lib/expression/expression.h); OUTCOME_SIZE where the device does not do
 * such lengths, or has no memory for all the nodes. */
enum outcome expression_run(const struct expression_operation *op);

#endif
