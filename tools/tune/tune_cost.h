/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's own times by size. */
#ifndef MPGPU_TUNE_COST_H
#define MPGPU_TUNE_COST_H

#include "tools/tune/tune_measure.h"

/* Measures them into t->profile.cost, smaller sizes first.  0; 1 if the search's time is over, with
 * what was measured until then; or after a message the program's exit status. */
int tuner_find_costs(struct tuner *t);

#endif
