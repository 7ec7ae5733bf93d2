/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reports the statistics when the process exits. */
#define _GNU_SOURCE 1 /* program_invocation_short_name */
#include "config.h"

#include "lib/session/report/stats_report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/sites/sites.h"
#include "lib/base/started.h"
#include "lib/base/stats.h"
#include "lib/base/syscall_filter.h"
#include "lib/session/report/stats_print.h"

void stats_put(struct stats_text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->s + t->length, t->room - t->length, format, args);
    va_end(args);
    if (n > 0)
        t->length += (size_t)n;
    if (t->length >= t->room)
        t->length = t->room - 1;
}

bool stats_pool_was_used(struct pool_numbers *n) {
    pool_ask(n);
    return n->blocks > 0 || n->refused > 0;
}

bool stats_any_was_built(struct stats_building *b) {
    gpu_builds_ask(&b->numbers);
    b->calls_ns = 0;
    for (int i = 0; i < stats_row_count; i++)
        b->calls_ns += stats_rows[i].building;
    return b->numbers.done > 0;
}

bool stats_dispatch_was_used(struct dispatch_numbers *n) {
    dispatch_ask(n);
    return n->is_fixed || n->busy || n->trials || n->samples;
}

/* Appends the text to the file by one write, so that lines of several processes do not mix. */
static void append_to_file(const char *path, const struct stats_text *t) {
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    errno = file < 0 ? errno : 0;
    if (file < 0 || !mpgpu_log_write(file, t->s, t->length))
        mpgpu_say("no statistics in %s: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
}

static void report_to_file(const struct stats_head *head) {
    static LARGE_ZERO char text[128 << 10];
    struct stats_text t = {.s = text, .room = sizeof text - 1, .is_one_line = true};
    if (syscall_filter_is_new()) {
        mpgpu_say("no statistics in %s: this program must not open files", mpgpu_conf.stats_file);
        return;
    }
    stats_print_json(head, &t);
    t.s[t.length++] = '\n';
    append_to_file(mpgpu_conf.stats_file, &t);
}

static void report(const char *device, const char *reason) {
    struct stats_head head = {.program = program_invocation_short_name,
                              .process = getpid(),
                              .ns = stats_elapsed(),
                              .device = device,
                              .reason = reason};
    char line[4000];
    struct stats_text t = {.s = line, .room = sizeof line};
    if (mpgpu_conf.stats == STATS_JSON)
        stats_print_json(&head, &t);
    else if (mpgpu_conf.stats == STATS_TEXT)
        stats_print_table(&head);
    if (*mpgpu_conf.stats_file)
        report_to_file(&head);
    sites_end(reason);
}

void stats_report(const char *device) {
    static atomic_flag printed = ATOMIC_FLAG_INIT;
    if (stats_on && stats_rows_are_ours() && !atomic_flag_test_and_set(&printed))
        report(device, NULL);
}

void stats_report_nothing(const char *reason) {
    if (conf_has_stats())
        report(NULL, reason);
}
