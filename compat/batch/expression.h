/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Behind the expressions of include/mpgpu.h. */
#ifndef MPGPU_COMPAT_EXPRESSION_H
#define MPGPU_COMPAT_EXPRESSION_H

#include <stdbool.h>

#include "include/mpgpu.h"
#include "lib/expression/expression.h"

struct mpgpu_expression {
    struct expression e;
    const char *wrong; /* what the first call that failed had to say; NULL: none has */
    bool is_finished;
};

#endif
