/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The statistics at exit, as a table or as JSON.  Seconds are printed from whole numbers, since the
 * program's locale may have a decimal comma. */
#include "lib/session/stats_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"
#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/base/stats_row.h"
#include "lib/base/thresholds.h"
#include "lib/dispatch/dispatch.h"
#include "lib/memory/pool.h"
#include "lib/session/flint_found.h"
#include "lib/session/session.h"

static const char *const outcome_words[OUTCOME_COUNT] = {
    [OUTCOME_SMALL] = "small",   [OUTCOME_OPENING] = "opening", [OUTCOME_NONE] = "no device",
    [OUTCOME_MEMORY] = "memory", [OUTCOME_SIZE] = "size",       [OUTCOME_FAILED] = "failed",
    [OUTCOME_FORKED] = "forked", [OUTCOME_BUSY] = "busy",       [OUTCOME_SAMPLE] = "sample",
};

static const char *const way_words[STATS_WAYS] = {
    [STATS_NTT] = "ntt",   [STATS_SSA] = "ssa", [STATS_BLOCK] = "block", [STATS_BATCH] = "batch",
    [STATS_LIMB] = "limb", [STATS_SUM] = "sum", [STATS_FFT] = "fft",     [STATS_WHOLE] = "whole",
};

/* A text that is appended to, and cut where the array ends. */
struct text {
    char s[4000];
    size_t length;
};

static void __attribute__((format(printf, 2, 3))) put(struct text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->s + t->length, sizeof t->s - t->length, format, args);
    va_end(args);
    if (n > 0)
        t->length += (size_t)n;
    if (t->length >= sizeof t->s)
        t->length = sizeof t->s - 1;
}

static uint64_t calls(const struct stats_row *row) {
    uint64_t sum = 0;
    for (int i = 0; i < OUTCOME_COUNT; i++)
        sum += row->calls[i];
    return sum;
}

static void add(struct stats_row *sum, const struct stats_row *row) {
    for (int i = 0; i < OUTCOME_COUNT; i++)
        sum->calls[i] += row->calls[i];
    for (int way = 0; way < STATS_WAYS; way++)
        sum->ways[way] += row->ways[way];
    sum->doubts += row->doubts;
    sum->limbs += row->limbs;
    sum->upload += row->upload;
    sum->kernels += row->kernels;
    sum->building += row->building;
    sum->download += row->download;
    sum->device += row->device;
    sum->gmp += row->gmp;
}

static void put_seconds(struct text *t, int width, uint64_t ns) {
    put(t, "%*" PRIu64 ".%03" PRIu64, width - 4, ns / 1000000000, ns / 1000000 % 1000);
}

/* The counts that are not 0 and have a word. */
static void put_counts(struct text *t, const char *gap, const _Atomic uint64_t *counts,
                       const char *const *words, int most) {
    for (int i = 0; i < most; i++) {
        if (words[i] && counts[i]) {
            put(t, "%s%s %" PRIu64, gap, words[i], (uint64_t)counts[i]);
            gap = ", ";
        }
    }
}

static void put_row(const struct stats_row *row) {
    struct text t = {.length = 0};
    put(&t, "%-18s %9" PRIu64 " %9" PRIu64 " %13" PRIu64, row->name, calls(row),
        (uint64_t)row->calls[OUTCOME_DONE], (uint64_t)row->limbs);
    put_seconds(&t, 10, row->device);
    put_seconds(&t, 10, row->upload);
    put_seconds(&t, 10, row->kernels);
    put_seconds(&t, 10, row->download);
    put_seconds(&t, 10, row->gmp);
    put_counts(&t, "  by ", row->ways, way_words, STATS_WAYS);
    if (row->doubts)
        put(&t, "  doubt %" PRIu64, (uint64_t)row->doubts);
    put_counts(&t, "  ", row->calls, outcome_words, OUTCOME_COUNT);
    mpgpu_say("%s", t.s);
}

/* The pool's numbers; false if it was never used. */
static bool pool_was_used(struct pool_numbers *n) {
    pool_ask(n);
    return n->blocks > 0 || n->refused > 0;
}

/* Programs built at run time: what calls have waited for them, and all, the opening included. */
struct building {
    struct gpu_builds_numbers numbers;
    uint64_t calls_ns;
};

static bool any_was_built(struct building *b) {
    gpu_builds_ask(&b->numbers);
    b->calls_ns = 0;
    for (int i = 0; i < stats_row_count; i++)
        b->calls_ns += stats_rows[i].building;
    return b->numbers.done > 0;
}

static void put_building(void) {
    struct text t = {.length = 0};
    struct building b;
    if (!any_was_built(&b))
        return;
    put(&t, "building: %u programs, waited ", b.numbers.done);
    put_seconds(&t, 5, b.numbers.waited_ns);
    put(&t, " s for them, in calls ");
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
    if (pool_was_used(&n))
        mpgpu_say("pool: %" PRIu64 " blocks, %" PRIu64 " refused; MiB: %" PRIu64
                  ", at most %" PRIu64 " of %" PRIu64 ", %" PRIu64 " page-locked, %" PRIu64
                  " returned",
                  n.blocks, n.refused, mebibytes(n.bytes), mebibytes(n.most), mebibytes(n.limit),
                  mebibytes(n.pinned), mebibytes(n.returned));
}

static bool dispatch_was_used(struct dispatch_numbers *n) {
    dispatch_ask(n);
    return n->is_fixed || n->busy || n->trials || n->samples;
}

static void put_dispatch(void) {
    struct dispatch_numbers n;
    if (!dispatch_was_used(&n))
        return;
    if (n.is_fixed)
        mpgpu_say("dispatch: fixed");
    else
        mpgpu_say("dispatch: auto; %" PRIu64
                  " calls left to GMP since the device was busy, %" PRIu64 " trials, %" PRIu64
                  " samples of GMP, wait now %" PRId64 " us, account %" PRId64 " us",
                  n.busy, n.trials, n.samples, n.wait / 1000, n.account / 1000);
}

/* A line for each of several devices. */
static void put_devices(void) {
    struct session_work w;
    if (!session_ask_work(1, &w))
        return;
    for (unsigned i = 0; session_ask_work(i, &w); i++) {
        struct text t = {.length = 0};
        put(&t, "device %u: %" PRIu64 " calls, ", i, w.calls);
        put_seconds(&t, 5, w.ns);
        put(&t, " s: %s", w.about);
        mpgpu_say("%s", t.s);
    }
}

static void report_text(const char *device) {
    struct stats_row sum = {.name = "all"};
    int rows = 0;
    mpgpu_say("device: %s", device ? device : "not used");
    mpgpu_say("calls at or above the thresholds (smaller ones go straight to GMP, uncounted):");
    mpgpu_say("%-18s %9s %9s %13s%10s%10s%10s%10s%10s  %s", "function", "calls", "sent", "limbs",
              "device s", "upload s", "kernels s", "downl. s", "on GMP s", "how; not sent");
    for (int i = 0; i < stats_row_count; i++) {
        if (calls(&stats_rows[i])) {
            put_row(&stats_rows[i]);
            add(&sum, &stats_rows[i]);
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

static void put_string(struct text *t, const char *s) {
    put(t, "\"");
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            put(t, "\\%c", c);
        else if (c < ' ')
            put(t, "\\u%04x", c);
        else
            put(t, "%c", c);
    }
    put(t, "\"");
}

static void put_json_seconds(struct text *t, const char *name, uint64_t ns) {
    put(t, "\"%s\":%" PRIu64 ".%06" PRIu64, name, ns / 1000000000, ns / 1000 % 1000000);
}

static void put_json_counts(struct text *t, const char *name, const _Atomic uint64_t *counts,
                            const char *const *words, int most) {
    const char *gap = "";
    put(t, ",\"%s\":{", name);
    for (int i = 0; i < most; i++) {
        if (words[i] && counts[i]) {
            put(t, "%s\"%s\":%" PRIu64, gap, words[i], (uint64_t)counts[i]);
            gap = ",";
        }
    }
    put(t, "}");
}

static void put_json_row(struct text *t, const struct stats_row *row) {
    put(t, "{\"function\":\"%s\",\"calls\":%" PRIu64 ",\"sent\":%" PRIu64 ",\"limbs\":%" PRIu64,
        row->name, calls(row), (uint64_t)row->calls[OUTCOME_DONE], (uint64_t)row->limbs);
    put(t, ",\"seconds\":{");
    put_json_seconds(t, "device", row->device);
    put(t, ",");
    put_json_seconds(t, "upload", row->upload);
    put(t, ",");
    put_json_seconds(t, "kernels", row->kernels);
    put(t, ",");
    put_json_seconds(t, "download", row->download);
    put(t, ",");
    put_json_seconds(t, "gmp", row->gmp);
    put(t, "}");
    put_json_counts(t, "by", row->ways, way_words, STATS_WAYS);
    put(t, ",\"doubt\":%" PRIu64, (uint64_t)row->doubts);
    put_json_counts(t, "not_sent", row->calls, outcome_words, OUTCOME_COUNT);
    put(t, "}");
}

static void put_json_flint(struct text *t) {
    const struct flint_found flint = flint_found();
    char version[9] = "";
    if (!flint.version)
        return;
    if (flint.is_known)
        snprintf(version, sizeof version, "%s", flint.version);
    put(t, ",\"flint\":{\"version\":");
    put_string(t, version);
    put(t, ",\"library\":");
    put_string(t, flint.path);
    put(t, ",\"caught\":%s}", flint.is_known ? "true" : "false");
}

static void put_json_building(struct text *t) {
    struct building b;
    if (!any_was_built(&b))
        return;
    put(t, ",\"building\":{\"programs\":%u,", b.numbers.done);
    put_json_seconds(t, "waited", b.numbers.waited_ns);
    put(t, ",");
    put_json_seconds(t, "in_calls", b.calls_ns);
    put(t, "}");
}

static void put_json_pool(struct text *t) {
    struct pool_numbers n;
    if (!pool_was_used(&n))
        return;
    put(t, ",\"pool\":{\"blocks\":%" PRIu64 ",\"refused\":%" PRIu64, n.blocks, n.refused);
    put(t, ",\"bytes\":%" PRIu64 ",\"most\":%" PRIu64 ",\"limit\":%" PRIu64, n.bytes, n.most,
        n.limit);
    put(t, ",\"pinned\":%" PRIu64 ",\"returned\":%" PRIu64 "}", n.pinned, n.returned);
}

static void put_json_dispatch(struct text *t) {
    struct dispatch_numbers n;
    if (!dispatch_was_used(&n))
        return;
    put(t, ",\"dispatch\":{\"mode\":\"%s\",\"busy\":%" PRIu64, n.is_fixed ? "fixed" : "auto",
        n.busy);
    put(t, ",\"trials\":%" PRIu64 ",\"samples\":%" PRIu64, n.trials, n.samples);
    put(t, ",\"wait_us\":%" PRId64 ",\"account_us\":%" PRId64 "}", n.wait / 1000, n.account / 1000);
}

/* What is there so far, as lines of its own. */
static void say(struct text *t, const char *end) {
    mpgpu_say("%s%s", t->s, end);
    t->length = 0;
}

static void put_json_devices(struct text *t) {
    struct session_work w;
    if (!session_ask_work(1, &w))
        return;
    put(t, ",\"devices\":[");
    for (unsigned i = 0; session_ask_work(i, &w); i++) {
        say(t, i > 0 ? "," : "");
        put(t, "{\"device\":");
        put_string(t, w.about);
        put(t, ",\"used\":%s,\"calls\":%" PRIu64 ",", w.is_used ? "true" : "false", w.calls);
        put_json_seconds(t, "seconds", w.ns);
        put(t, "}");
    }
    put(t, "]");
}

/* One object, a function or a device a line. */
static void report_json(const char *device) {
    struct text t = {.length = 0};
    put(&t, "{\"device\":");
    put_string(&t, device ? device : "");
    put(&t, ",\"functions\":[");
    const char *gap = "";
    for (int i = 0; i < stats_row_count; i++) {
        if (!calls(&stats_rows[i]))
            continue;
        say(&t, gap);
        put_json_row(&t, &stats_rows[i]);
        gap = ",";
    }
    put(&t, "]");
    put_json_devices(&t);
    put_json_flint(&t);
    put_json_building(&t);
    put_json_pool(&t);
    put_json_dispatch(&t);
    say(&t, "}");
}

void stats_report(const char *device) {
    static atomic_flag printed = ATOMIC_FLAG_INIT;
    if (!stats_on || !stats_rows_are_ours() || atomic_flag_test_and_set(&printed))
        return;
    if (mpgpu_conf.stats == STATS_JSON)
        report_json(device);
    else
        report_text(device);
}
