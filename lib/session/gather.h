/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Small products of several threads at once on one device.  Each thread loads its operands into a
 * slot of its own, one thread of ours launches what has come meanwhile together, and each waits for
 * its own result and checks it.  So a wrong product, or a thread that is late, is no other's
 * concern. */
#ifndef MPGPU_GATHER_H
#define MPGPU_GATHER_H

#include <stdbool.h>

#include "lib/base/outcome.h"
#include "lib/multiply/direct.h"
#include "lib/session/gather_thread.h"

/* With the device: its thread.  Up to here nothing else is called; g->session, g->device and
 * g->first are set. */
void gather_prepare(struct gather *g);

/* Would the open device make this product so?  p->plan is chosen, nothing else happens. */
bool gather_fits(const struct gather *g, struct direct_product *p);

/* The products, 1 or more, if all are small enough for this way and the way is open; plans and
 * slots are chosen here.  They go together as far as there are slots.  True: *outcome is
 * OUTCOME_DONE, or why not all were done.  False: the caller goes the way of larger operations.
 * Any thread of the program, under its signal guard. */
bool gather_products(struct gather *g, struct direct_product *p, unsigned count,
                     enum outcome *outcome);

/* Wait for at most `seconds` until no product is under way, and keep others out; false if that
 * took longer.  gather_go_on lets them in again. */
bool gather_hold(struct gather *g, int seconds);
void gather_go_on(struct gather *g);

#endif
