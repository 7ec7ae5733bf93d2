/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Device memory in use after an operation that began with none but the tables. */
#include <stdio.h>

#include "lib/session/session.h"
#include "tools/bench/bench_modes.h"

static enum gpu_status trim_there(struct context *s, void *unused) {
    (void)unused;
    enum gpu_status status = gpu_finish(&s->queue);
    context_trim(s);
    return status;
}

static enum gpu_status ask_there(struct context *s, void *bytes) {
    *(uint64_t *)bytes = context_bytes(s);
    return GPU_OK;
}

static void measure(const struct bench_options *unused_options, const struct bench_shape *shape,
                    struct bench_work *w, struct bench_report *report) {
    (void)unused_options;
    char bits[24];
    uint64_t bytes = 0;
    int unused = 0;
    bench_work_fill(w);
    int failed = session_run(trim_there, &unused, sizeof unused, 0) != OUTCOME_DONE ||
                 w->operation->library(w) ||
                 session_run(ask_there, &bytes, sizeof bytes, 0) != OUTCOME_DONE;
    enum bench_state state = failed                   ? BENCH_FAILED
                             : bench_work_is_right(w) ? BENCH_RIGHT
                                                      : BENCH_WRONG;
    double used = failed ? -1 : (double)bytes / (1 << 20);
    bench_report_value(report, shape->name, w, "device-memory", "MiB", used, state);
    double numbers = (double)(w->un + (w->up == w->vp ? 0 : w->vn) + w->rn) * sizeof(mp_limb_t);
    printf("%-9s %-11s %14.1f %14.1f %8.2f%s\n", shape->name, bench_bits_text(w->bits, bits),
           numbers / (1 << 20), used, (double)bytes / numbers,
           failed                 ? "  FAILED"
           : state == BENCH_WRONG ? "  WRONG"
                                  : "");
    fflush(stdout);
}

int bench_memory_use(const struct bench_options *options, struct bench_report *report) {
    printf("%-9s %-11s %14s %14s %8s\n", "operation", "bits", "numbers, MiB", "device, MiB",
           "ratio");
    return bench_each(options, report, measure);
}
