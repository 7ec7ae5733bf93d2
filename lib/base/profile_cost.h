/* SPDX-License-Identifier: LGPL-3.0-or-later
 * GMP's times in a profile: steps of a size and nanoseconds. */
#ifndef MPGPU_PROFILE_COST_H
#define MPGPU_PROFILE_COST_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/profile.h"

/* The next step, "256 13700"; false if that is not one, has no more limbs than the step before, or
 * there is no place for it. */
bool profile_cost_set(struct profile_cost *c, const char *value, struct item_source source);

/* A step's text into {text, size}, which gives the same again. */
void profile_cost_text(const struct profile_cost_step *step, char *text, size_t size);

#endif
