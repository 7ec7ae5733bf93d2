/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A look at a batch's numbers by the device's thread, for a thread of the program. */
#ifndef MPGPU_LOOK_RUN_H
#define MPGPU_LOOK_RUN_H

#include "lib/base/outcome.h"
#include "lib/modular/euclid.h"

/* Counts the zeros and the even ones of the `count` numbers in v, each of `words` words. */
enum outcome euclid_run_look(gpu_mem v, uint64_t count, uint32_t words, struct euclid_found *found);

#endif
