/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Prints the statistics as a table. Seconds are printed from whole numbers, since the program's
 * locale may have a decimal comma. */
#include "lib/session/report/stats_print.h"

#include <inttypes.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/thresholds.h"
#include "lib/session/flint_found.h"
#include "lib/session/session.h"

enum { LINE = 4000 };

static void put_seconds(struct stats_text *t, int width, uint64_t ns) {
    stats_put(t, "%*" PRIu64 ".%03" PRIu64, width - 4, ns / 1000000000, ns / 1000000 % 1000);
}

/* Prints each count that is not 0 and has a name in `words`. */
static void put_counts(struct stats_text *t, const char *gap, const _Atomic uint64_t *counts,
                       const char *const *words, int most) {
    for (int i = 0; i < most; i++) {
        if (words[i] && counts[i]) {
            stats_put(t, "%s%s %" PRIu64, gap, words[i], (uint64_t)counts[i]);
            gap = ", ";
        }
    }
}

static void put_row(const struct stats_row *row) {
    char line[LINE];
    struct stats_text t = {.s = line, .room = sizeof line};
    stats_put(&t, "%-18s %9" PRIu64 " %9" PRIu64 " %13" PRIu64, row->name, stats_calls(row),
              (uint64_t)row->calls[OUTCOME_DONE], (uint64_t)row->limbs);
    put_seconds(&t, 10, row->device);
    put_seconds(&t, 10, row->upload);
    put_seconds(&t, 10, row->kernels);
    put_seconds(&t, 10, row->download);
    put_seconds(&t, 10, row->gmp);
    put_counts(&t, "  by ", row->ways, stats_way_words, STATS_WAYS);
    if (row->recomputed)
        stats_put(&t, "  recomputed %" PRIu64, (uint64_t)row->recomputed);
    put_counts(&t, "  ", row->calls, stats_outcome_words, OUTCOME_COUNT);
    mpgpu_say("%s", t.s);
}

static void put_building(void) {
    char line[LINE];
    struct stats_text t = {.s = line, .room = sizeof line};
    struct stats_building b;
    if (!stats_any_was_built(&b))
        return;
    stats_put(&t, "building: %u programs, waited ", b.numbers.done);
    put_seconds(&t, 5, b.numbers.waited_ns);
    stats_put(&t, " s for them, in calls ");
    put_seconds(&t, 5, b.calls_ns);
    mpgpu_say("%s s (in `device s`, not in `kernels s`); later programs find them built", t.s);
}

static void put_flint(void) {
    const struct flint_found flint = flint_found();
    if (flint.is_known)
        mpgpu_say("FLINT %.8s in %s: its large products are caught", flint.version, flint.path);
    else if (flint.version)
        mpgpu_say("FLINT in %s: of an unknown version, left alone", flint.path);
}

static uint64_t mebibytes(uint64_t bytes) {
    return bytes >> 20;
}

static void put_pool(void) {
    struct pool_numbers n;
    if (stats_pool_was_used(&n))
        mpgpu_say("pool: %" PRIu64 " blocks, %" PRIu64 " refused; MiB: %" PRIu64
                  ", at most %" PRIu64 " of %" PRIu64 ", %" PRIu64 " page-locked, %" PRIu64
                  " returned",
                  n.blocks, n.refused, mebibytes(n.bytes), mebibytes(n.most), mebibytes(n.limit),
                  mebibytes(n.pinned), mebibytes(n.returned));
}

static void put_dispatch(void) {
    struct dispatch_numbers n;
    if (!stats_dispatch_was_used(&n))
        return;
    if (n.is_fixed)
        mpgpu_say("dispatch: fixed");
    else
        mpgpu_say("dispatch: auto; %" PRIu64
                  " calls left to GMP since the device was busy, %" PRIu64 " trials, %" PRIu64
                  " samples of GMP, wait now %" PRId64 " us, account %" PRId64 " us",
                  n.busy, n.trials, n.samples, n.wait / 1000, n.budget / 1000);
}

/* Prints a line for each device if the process uses several. */
static void put_devices(void) {
    struct session_work w;
    if (!session_ask_work(1, &w))
        return;
    for (unsigned i = 0; session_ask_work(i, &w); i++) {
        char line[LINE];
        struct stats_text t = {.s = line, .room = sizeof line};
        stats_put(&t, "device %u: %" PRIu64 " calls, ", i, w.calls);
        put_seconds(&t, 5, w.ns);
        stats_put(&t, " s: %s", w.about);
        mpgpu_say("%s", t.s);
    }
}

static void put_head(const struct stats_head *head) {
    char line[LINE];
    struct stats_text t = {.s = line, .room = sizeof line};
    stats_put(&t, "%s, process %ld, ", head->program, head->process);
    put_seconds(&t, 5, head->ns);
    stats_put(&t, " s%s%s", head->reason ? ": no call of GMP was intercepted: " : "",
              head->reason ? head->reason : "");
    mpgpu_say("%s", t.s);
    if (!head->reason)
        mpgpu_say("device: %s", head->device ? head->device : "not used");
}

void stats_print_table(const struct stats_head *head) {
    struct stats_row sum = {.name = "all"};
    int rows = 0;
    put_head(head);
    if (head->reason)
        return;
    mpgpu_say("calls at or above the thresholds (smaller ones go straight to GMP, uncounted):");
    mpgpu_say("%-18s %9s %9s %13s%10s%10s%10s%10s%10s  %s", "function", "calls", "sent", "limbs",
              "device s", "upload s", "kernels s", "downl. s", "on GMP s", "how; not sent");
    for (int i = 0; i < stats_row_count; i++) {
        if (stats_calls(&stats_rows[i])) {
            put_row(&stats_rows[i]);
            stats_add_row(&sum, &stats_rows[i]);
            rows++;
        }
    }
    if (rows != 1)
        put_row(&sum);
    if (rows == 0 && atomic_load(&thresholds.product) == MPGPU_NEVER)
        mpgpu_say("nothing was sent: this device's thresholds are never; mul:N,sqr:N would send it "
                  "products of N limbs and more");
    put_devices();
    put_flint();
    put_building();
    put_pool();
    put_dispatch();
}
