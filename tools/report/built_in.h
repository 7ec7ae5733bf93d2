/* SPDX-License-Identifier: LGPL-3.0-or-later
 * doc/measurements/times-h200.csv as text. */
#ifndef MPGPU_BUILT_IN_H
#define MPGPU_BUILT_IN_H

extern const char times_built_in[];

#endif
