/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Each operation that was asked for, at each of its sizes. */
#include "tools/bench/bench_modes.h"

int bench_each(const struct bench_options *options, struct bench_report *report,
               bench_at_size *measure) {
    for (int i = 0; i < options->shape_count; i++)
        for (int k = 0; k < options->sizes; k++) {
            const struct bench_shape *shape = &options->shapes[i];
            struct bench_work w;
            if (!bench_work_open(&w, shape->operation, bench_column_memory(options->columns[0]),
                                 options->bits[k]))
                return 2;
            bench_work_size(&w, options->bits[k], shape->ratio);
            measure(options, shape, &w, report);
            bench_work_close(&w);
        }
    return 0;
}
