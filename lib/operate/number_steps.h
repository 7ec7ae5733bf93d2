/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The steps of a run (lib/operate/number_run.h) on device numbers. */
#ifndef MPGPU_NUMBER_STEPS_H
#define MPGPU_NUMBER_STEPS_H

#include "lib/operate/number_run.h"

/* One of them; its result's places have their numbers.  Every result is checked by an equation that
 * proves it, modulo the random modulus: r = u + v, r = u v, u = q d + r and u v = q d + r with
 * r < d, r + v = u + T, r = u 2^s, u = r 2^s + low with low < 2^s. */
void number_step(struct calc *c, struct number_run *run, const struct number_step *step);

#endif
