/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpf_set_str for other functions that read an mpf, such as gmp_sscanf. */
#ifndef MPGPU_MPF_SET_STR_H
#define MPGPU_MPF_SET_STR_H

#include "compat/intercept/call.h"

/* Does the work of mpf_set_str. The statistics count the call in `row`. */
int mpf_set_str_of(enum call_row row, mpf_ptr r, const char *s, int base);

#endif
