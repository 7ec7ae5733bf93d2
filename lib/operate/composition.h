/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Composite operations on limbs in host memory, done on the device from operands to result
 * (lib/calc/calc.h). */
#ifndef MPGPU_COMPOSITION_H
#define MPGPU_COMPOSITION_H

#include <stdbool.h>

#include "lib/base/outcome.h"
#include "lib/calc/calc.h"
#include "lib/memory/touch.h"

/* Can they be done?  A device is open, and no option asks the host to check each product. */
bool composition_serves(void);

/* Runs `work` (calc_run) on a copy of {argument, size}, which comes back.  `touches` are the
 * operands and results.  OUTCOME_DONE, or why it was not done: results may be anything then. */
enum outcome composition_run(void (*work)(struct calc *c, void *argument), void *argument,
                             size_t size, const struct touch *touches, size_t count);

/* The same for memory that has been touched, 4 bytes for each of its bytes, and for work that
 * several devices may do, its longest products having so many limbs.  What it tells the host's part
 * beside results is brought by calc_download_to_each. */
enum outcome composition_run_long(void (*work)(struct calc *c, void *argument), void *argument,
                                  size_t size, size_t bytes, size_t limbs);

#endif
