/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Gcds, inverses and quotients of batches that lie on the device.  Each returns OUTCOME_DONE, or
 * why it was not done. */
#ifndef MPGPU_EUCLID_RUN_H
#define MPGPU_EUCLID_RUN_H

#include "lib/modular/euclid.h"
#include "lib/operate/batch_run.h"

/* The operation, checked, after its self-test; results hold anything where it was not done. */
enum outcome euclid_run(const struct euclid_operation *op, struct kept *kept);

/* What there is among `count` numbers of so many words. */
enum outcome euclid_run_look(gpu_mem v, uint64_t count, uint32_t words, struct euclid_found *found);

#endif
