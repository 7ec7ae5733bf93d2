/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's times in a profile: each step is a size and GMP's nanoseconds for it. */
#ifndef MPGPU_PROFILE_COST_H
#define MPGPU_PROFILE_COST_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/profile.h"

/* Parses the next step, such as "256 13700" (limbs, nanoseconds). Returns false if the text is
 * invalid, its size is not above the previous step's, or no step is free. */
bool profile_cost_set(struct profile_cost *c, const char *value, struct item_source source);

/* Writes a step's text, from which profile_cost_set reads the same step. */
void profile_cost_text(const struct profile_cost_step *step, char *text, size_t size);

#endif
