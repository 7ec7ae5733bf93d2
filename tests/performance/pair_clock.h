/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A clock for what two devices made of one do (tests/support/twin_backend.h): each kernel and each
 * copy by itself. */
#ifndef MPGPU_PERFORMANCE_PAIR_CLOCK_H
#define MPGPU_PERFORMANCE_PAIR_CLOCK_H

#include <stdbool.h>

#include "gpu/gpu.h"

/* The twins' backend with the clock; copies between the two stay on the device. */
void pair_clock_backend(struct gpu_backend *backend);

/* Columns of figures: of one device, of the first of two and of the second. */
enum { PAIR_ONE, PAIR_FIRST, PAIR_SECOND, PAIR_COLUMNS };

/* From now on each call is waited for and timed; device i counts in column first + i, which is
 * empty. */
void pair_clock_begin(int first);

/* From now on nothing is timed; the figures stay. */
void pair_clock_pause(void);

/* After copies that were timed in PAIR_FIRST: from now on those that are not timed have some bytes
 * of the host's before them, so that they take as long as by a link of so many bytes a second. */
void pair_clock_set_link(double rate);

/* Of a column: bytes copied from the other device, and events that were recorded. */
double pair_clock_copied(int column);
long pair_clock_events(int column);

/* A line for each kernel and kind of copy that takes a hundredth of a column: its name, and for
 * each column how often, and how many milliseconds in all. */
void pair_clock_print(void);

#endif
