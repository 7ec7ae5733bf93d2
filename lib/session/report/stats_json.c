/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Prints the statistics as JSON. Seconds are printed from whole numbers, since the program's locale
 * may have a decimal comma. */
#include "lib/session/report/stats_print.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/base/log.h"
#include "lib/session/flint_found.h"
#include "lib/session/session.h"

/* Returns the number of bytes of the UTF-8 character at `s`, or 0 if there is none. */
static int utf8_bytes(const unsigned char *s) {
    const unsigned char c = s[0];
    const int bytes = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
    for (int i = 1; i < bytes; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    const bool is_overlong = (c == 0xe0 && s[1] < 0xa0) || (c == 0xf0 && s[1] < 0x90);
    const bool is_surrogate = c == 0xed && s[1] >= 0xa0, is_beyond = c == 0xf4 && s[1] >= 0x90;
    return is_overlong || is_surrogate || is_beyond ? 0 : bytes;
}

/* Names of files need not be UTF-8, as JSON must be: U+FFFD stands for other bytes. */
static void put_string(struct stats_text *t, const char *s) {
    stats_put(t, "\"");
    for (int bytes; *s; s += bytes ? bytes : 1) {
        unsigned char c = (unsigned char)*s;
        bytes = utf8_bytes((const unsigned char *)s);
        if (c == '"' || c == '\\')
            stats_put(t, "\\%c", c);
        else if (c < ' ' || !bytes)
            stats_put(t, "\\u%04x", bytes ? c : 0xfffd);
        else
            stats_put(t, "%.*s", bytes, s);
    }
    stats_put(t, "\"");
}

static void put_json_seconds(struct stats_text *t, const char *name, uint64_t ns) {
    stats_put(t, "\"%s\":%" PRIu64 ".%06" PRIu64, name, ns / 1000000000, ns / 1000 % 1000000);
}

static void put_json_counts(struct stats_text *t, const char *name, const _Atomic uint64_t *counts,
                            const char *const *words, int most) {
    const char *gap = "";
    stats_put(t, ",\"%s\":{", name);
    for (int i = 0; i < most; i++) {
        if (words[i] && counts[i]) {
            stats_put(t, "%s\"%s\":%" PRIu64, gap, words[i], (uint64_t)counts[i]);
            gap = ",";
        }
    }
    stats_put(t, "}");
}

static void put_json_row(struct stats_text *t, const struct stats_row *row) {
    stats_put(
        t, "{\"function\":\"%s\",\"calls\":%" PRIu64 ",\"sent\":%" PRIu64 ",\"limbs\":%" PRIu64,
        row->name, stats_calls(row), (uint64_t)row->calls[OUTCOME_DONE], (uint64_t)row->limbs);
    stats_put(t, ",\"seconds\":{");
    put_json_seconds(t, "device", row->device);
    stats_put(t, ",");
    put_json_seconds(t, "upload", row->upload);
    stats_put(t, ",");
    put_json_seconds(t, "kernels", row->kernels);
    stats_put(t, ",");
    put_json_seconds(t, "download", row->download);
    stats_put(t, ",");
    put_json_seconds(t, "gmp", row->gmp);
    stats_put(t, "}");
    put_json_counts(t, "by", row->ways, stats_way_words, STATS_WAYS);
    stats_put(t, ",\"recomputed\":%" PRIu64, (uint64_t)row->recomputed);
    put_json_counts(t, "not_sent", row->calls, stats_outcome_words, OUTCOME_COUNT);
    stats_put(t, "}");
}

static void put_json_flint(struct stats_text *t) {
    const struct flint_found flint = flint_found();
    char version[9] = "";
    if (!flint.version)
        return;
    if (flint.is_known)
        snprintf(version, sizeof version, "%s", flint.version);
    stats_put(t, ",\"flint\":{\"version\":");
    put_string(t, version);
    stats_put(t, ",\"library\":");
    put_string(t, flint.path);
    stats_put(t, ",\"caught\":%s}", flint.is_known ? "true" : "false");
}

static void put_json_building(struct stats_text *t) {
    struct stats_building b;
    if (!stats_any_was_built(&b))
        return;
    stats_put(t, ",\"building\":{\"programs\":%u,", b.numbers.done);
    put_json_seconds(t, "waited", b.numbers.waited_ns);
    stats_put(t, ",");
    put_json_seconds(t, "in_calls", b.calls_ns);
    stats_put(t, "}");
}

static void put_json_pool(struct stats_text *t) {
    struct pool_numbers n;
    if (!stats_pool_was_used(&n))
        return;
    stats_put(t, ",\"pool\":{\"blocks\":%" PRIu64 ",\"refused\":%" PRIu64, n.blocks, n.refused);
    stats_put(t, ",\"bytes\":%" PRIu64 ",\"most\":%" PRIu64 ",\"limit\":%" PRIu64, n.bytes, n.most,
              n.limit);
    stats_put(t, ",\"pinned\":%" PRIu64 ",\"returned\":%" PRIu64 "}", n.pinned, n.returned);
}

static void put_json_dispatch(struct stats_text *t) {
    struct dispatch_numbers n;
    if (!stats_dispatch_was_used(&n))
        return;
    stats_put(t, ",\"dispatch\":{\"mode\":\"%s\",\"busy\":%" PRIu64, n.is_fixed ? "fixed" : "auto",
              n.busy);
    stats_put(t, ",\"trials\":%" PRIu64 ",\"samples\":%" PRIu64, n.trials, n.samples);
    stats_put(t, ",\"wait_us\":%" PRId64 ",\"account_us\":%" PRId64 "}", n.wait / 1000,
              n.budget / 1000);
}

/* Appends `end` to the text. If each line is printed separately, prints the text and empties it. */
static void end_line(struct stats_text *t, const char *end) {
    stats_put(t, "%s", end);
    if (t->is_one_line)
        return;
    mpgpu_say("%s", t->s);
    t->length = 0;
}

static void put_json_devices(struct stats_text *t) {
    struct session_work w;
    if (!session_ask_work(1, &w))
        return;
    stats_put(t, ",\"devices\":[");
    for (unsigned i = 0; session_ask_work(i, &w); i++) {
        end_line(t, i > 0 ? "," : "");
        stats_put(t, "{\"device\":");
        put_string(t, w.about);
        stats_put(t, ",\"used\":%s,\"calls\":%" PRIu64 ",", w.is_used ? "true" : "false", w.calls);
        put_json_seconds(t, "seconds", w.ns);
        stats_put(t, "}");
    }
    stats_put(t, "]");
}

static void put_json_head(struct stats_text *t, const struct stats_head *head) {
    stats_put(t, "{\"program\":");
    put_string(t, head->program);
    stats_put(t, ",\"process\":%ld,", head->process);
    put_json_seconds(t, "seconds", head->ns);
    stats_put(t, ",\"device\":");
    put_string(t, head->device ? head->device : "");
    if (head->reason) {
        stats_put(t, ",\"reason\":");
        put_string(t, head->reason);
    }
}

void stats_print_json(const struct stats_head *head, struct stats_text *t) {
    put_json_head(t, head);
    stats_put(t, ",\"functions\":[");
    const char *gap = "";
    for (int i = 0; i < stats_row_count; i++) {
        if (!stats_calls(&stats_rows[i]))
            continue;
        end_line(t, gap);
        put_json_row(t, &stats_rows[i]);
        gap = ",";
    }
    stats_put(t, "]");
    if (!head->reason) {
        put_json_devices(t);
        put_json_flint(t);
        put_json_building(t);
        put_json_pool(t);
        put_json_dispatch(t);
    }
    end_line(t, "}");
}
