/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpf_set_str for other functions that read a number. */
#ifndef MPGPU_MPF_SET_STR_H
#define MPGPU_MPF_SET_STR_H

#include "compat/intercept/call.h"

/* Does the work of mpf_set_str. In the statistics it counts as a call of `row`. */
int mpf_set_str_of(enum call_row row, mpf_ptr r, const char *s, int base);

#endif
