/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The common code of tests/unit/modular/divide_8.c and similar files for other lengths. Each
 * defines MODULAR_WORDS and PROGRAM and includes this file. */
#include "kernels/modular/divide.h"
#define LANES_OF(words) DIVIDE_LANES(words)
#include "tests/unit/modular/warp.h"

#undef LANES_OF
#include "kernels/modular/divide.cl"
#include "tests/unit/modular/divide_lanes.h"

static const struct divide_launch *l;

static void divide_item(void) {
    batch_divide(l->q, l->r, l->n, l->d, l->d_at, l->d_step, l->first, l->count, l->n_words,
                 l->d_words, l->has_q, l->has_r);
}

static void divide_all(const struct divide_launch *launch) {
    l = launch;
    warp_launch(divide_item, (u32)l->count);
}

const struct divide_program PROGRAM = {MODULAR_WORDS, divide_all};
