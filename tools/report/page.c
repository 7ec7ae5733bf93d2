/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Writes the profile as one HTML page that loads no other files. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "tools/report/report.h"

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Profile of GMP calls</title>\n<style>\n"
    ":root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--soft:#59636e;--line:#d5dbe1;"
    "--device:#2f7d4f;--gmp:#c2762e;--card:#f5f7f9}\n"
    "@media(prefers-color-scheme:dark){:root{--back:#14181d;--text:#e3e8ed;--soft:#98a3ae;"
    "--line:#323a43;--device:#56b37c;--gmp:#e09a55;--card:#1c2229}}\n"
    "body{margin:0 auto;max-width:82rem;padding:1.2rem;background:var(--back);color:var(--text);"
    "font:15px/1.45 system-ui,sans-serif}\n"
    "h1{font-size:1.35rem;margin:0 0 .3rem;overflow-wrap:anywhere}h2{font-size:1.05rem;"
    "margin:1.6rem 0 .5rem}\n"
    "p{margin:.3rem 0;color:var(--soft)}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.35rem .5rem;border-bottom:1px solid var(--line);text-align:left;"
    "vertical-align:top}\nth{color:var(--soft);font-weight:600}\n"
    "td.n,th.n{text-align:right;white-space:nowrap}td.place "
    "code{overflow-wrap:anywhere}td.time,td.f{white-space:nowrap}\n"
    ".bar{display:flex;height:.55rem;min-width:6rem;background:var(--card);border-radius:2px;"
    "margin-top:.3rem}.bar i{display:block;height:100%}.d{background:var(--device)}"
    ".g{background:var(--gmp)}\n"
    ".key i{display:inline-block;width:.8rem;height:.8rem;border-radius:2px;"
    "vertical-align:-.1rem;margin:0 .3rem 0 .8rem}\n"
    "dt{font-weight:600}dd{margin:0 0 .4rem;color:var(--soft)}\n"
    "@media(max-width:760px){thead{display:none}table,tbody{display:block}tr{display:block;"
    "margin:0 0 .8rem;padding:.6rem;background:var(--card);border-radius:6px}"
    "td,td.n{display:flex;justify-content:space-between;gap:1rem;border:0;padding:.12rem 0;"
    "text-align:right;white-space:normal}"
    "td::before{content:attr(data-l);color:var(--soft);text-align:left;flex:none}"
    "td.time{display:block}td:empty{display:none}td.place{text-align:right}}\n"
    "</style>\n</head>\n<body>\n";

static const char *const explained[OUTCOME_COUNT] = {
    [OUTCOME_SMALL] = "no part of the call reached the size from which the device gains",
    [OUTCOME_OPENING] = "the device was not open yet; GMP computed meanwhile",
    [OUTCOME_NONE] = "there is no device, or the options exclude it",
    [OUTCOME_MEMORY] = "memory of the device, or page-locked memory, was exhausted",
    [OUTCOME_SIZE] = "the operands are too large, or of a shape that the device does not take",
    [OUTCOME_FAILED] = "the device failed, or the check of its result did; GMP computed it again",
    [OUTCOME_FORKED] = "the process is a child of fork, which has no device",
    [OUTCOME_BUSY] = "the device was busy, or GMP was expected to be faster",
    [OUTCOME_SAMPLE] = "GMP computed it to measure its own time",
};

static void put_text(FILE *f, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", f);
            break;
        case '>':
            fputs("&gt;", f);
            break;
        case '&':
            fputs("&amp;", f);
            break;
        case '"':
            fputs("&quot;", f);
            break;
        default:
            fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
        }
    }
}

static double seconds(uint64_t ns) {
    return 1e-9 * (double)ns;
}

static double share(uint64_t part, uint64_t whole) {
    return whole ? 100 * (double)part / (double)whole : 0;
}

static void put_number(FILE *f, const char *label, uint64_t value) {
    fprintf(f, "<td class=\"n\" data-l=\"%s\">%" PRIu64 "</td>", label, value);
}

/* Writes a row's time with a bar; the full width of a bar is the time of all rows. */
static void put_time(FILE *f, const struct stats_row *row, uint64_t all) {
    uint64_t time = report_time(row);
    fprintf(f,
            "<td class=\"time\">%.3f s, %.1f&nbsp;%%<div class=\"bar\"><i class=\"d\" "
            "style=\"width:%.2f%%\"></i>",
            seconds(time), share(time, all), share(row->device, all));
    fprintf(f, "<i class=\"g\" style=\"width:%.2f%%\"></i></div></td>", share(row->gmp, all));
}

static void put_sizes(FILE *f, const struct report_row *row) {
    fprintf(f, "<td class=\"n\" data-l=\"limbs\">%" PRIu64, row->least);
    if (row->most != row->least)
        fprintf(f, "&ndash;%" PRIu64, row->most);
    fputs("</td>", f);
}

static void put_reasons(FILE *f, const struct stats_row *row) {
    const char *gap = "";
    fputs("<td data-l=\"why not on the device\">", f);
    for (int i = 0; i < OUTCOME_COUNT; i++)
        if (stats_outcome_words[i] && row->calls[i]) {
            fprintf(f, "%s%s&nbsp;%" PRIu64, gap, stats_outcome_words[i], (uint64_t)row->calls[i]);
            gap = ", ";
        }
    if (row->recomputed)
        fprintf(f, "%schecked and recomputed&nbsp;%" PRIu64, gap, (uint64_t)row->recomputed);
    fputs("</td>", f);
}

static void put_row(FILE *f, const struct report *r, const struct report_row *row) {
    fputs("<tr>", f);
    put_time(f, &row->row, report_time(&r->sum));
    fputs("<td class=\"f\" data-l=\"function\"><code>", f);
    put_text(f, row->function);
    fputs("</code></td><td class=\"place\" data-l=\"place\"><code>", f);
    put_text(f, row->place);
    if (r->processes > 1) {
        fputs(" (", f);
        put_text(f, row->program);
        fputs(")", f);
    }
    fputs("</code></td>", f);
    put_number(f, "calls", stats_calls(&row->row));
    put_number(f, "on the device", row->row.calls[OUTCOME_DONE]);
    put_sizes(f, row);
    fprintf(f, "<td class=\"n\" data-l=\"upload, kernels, download\">%.3f / %.3f / %.3f</td>",
            seconds(row->row.upload), seconds(row->row.kernels), seconds(row->row.download));
    put_reasons(f, &row->row);
    fputs("</tr>\n", f);
}

static void put_head(FILE *f, const struct report *r) {
    const struct stats_row *s = &r->sum;
    fputs(head, f);
    fputs("<h1>", f);
    put_text(f, r->command);
    fprintf(f, "</h1>\n<p>%.3f s", r->seconds);
    if (*r->end) {
        fputs(", ", f);
        put_text(f, r->end);
    }
    fprintf(f,
            "; %.3f s in %" PRIu64 " calls of GMP at or above the thresholds, %" PRIu64
            " of them computed on the device.</p>\n",
            seconds(report_time(s)), stats_calls(s), (uint64_t)s->calls[OUTCOME_DONE]);
    fprintf(
        f,
        "<p class=\"key\"><i class=\"d\"></i>on the device: %.3f&nbsp;s<i class=\"g\"></i>by GMP: "
        "%.3f s</p>\n",
        seconds(s->device), seconds(s->gmp));
}

static void put_rows(FILE *f, const struct report *r) {
    fputs("<h2>Calls by place</h2>\n<table>\n<thead><tr><th>time, "
          "share</th><th>function</th><th>place</th>"
          "<th class=\"n\">calls</th><th class=\"n\">on the device</th><th class=\"n\">limbs</th>"
          "<th class=\"n\">upload / kernels / download, s</th><th>why not on the "
          "device</th></tr></thead>\n<tbody>\n",
          f);
    for (size_t i = 0; i < r->rows; i++)
        put_row(f, r, &r->row[i]);
    fputs("</tbody>\n</table>\n", f);
    if (r->lost)
        fprintf(f, "<p>%" PRIu64 " calls from further places are not in the rows.</p>\n", r->lost);
}

static void put_process(FILE *f, const struct report_process *p) {
    fputs("<tr><td data-l=\"program\"><code>", f);
    put_text(f, p->program);
    fputs("</code></td>", f);
    put_number(f, "process", (uint64_t)p->number);
    put_number(f, "parent", (uint64_t)p->parent);
    fprintf(f, "<td class=\"n\" data-l=\"seconds\">%.3f</td>", seconds(p->elapsed));
    put_number(f, "calls", stats_calls(&p->sum));
    fprintf(f, "<td class=\"n\" data-l=\"seconds in calls\">%.3f</td><td data-l=\"end\">",
            seconds(report_time(&p->sum)));
    if (*p->reason)
        put_text(f, p->reason);
    else
        fputs(p->is_over ? "by exit" : "not by exit: its calls up to the last one are here", f);
    fputs("</td></tr>\n", f);
}

static void put_processes(FILE *f, const struct report *r) {
    fputs("<h2>Processes</h2>\n", f);
    if (!r->processes) {
        fputs("<p>No process has called GMP with operands at or above the thresholds.</p>\n", f);
        return;
    }
    fputs("<table>\n<thead><tr><th>program</th><th class=\"n\">process</th><th "
          "class=\"n\">parent</th><th class=\"n\">seconds</th>"
          "<th class=\"n\">calls</th><th class=\"n\">seconds in "
          "calls</th><th>end</th></tr></thead>\n<tbody>\n",
          f);
    for (size_t i = 0; i < r->processes; i++)
        put_process(f, &r->process[i]);
    fputs("</tbody>\n</table>\n", f);
}

/* Explains each reason that occurs in the profile for calls that GMP computed. */
static void put_reasons_explained(FILE *f, const struct report *r) {
    fputs("<h2>Why not on the device</h2>\n<p>Smaller calls go straight to GMP, and are not "
          "counted.</p>\n<dl>\n",
          f);
    for (int i = 0; i < OUTCOME_COUNT; i++)
        if (stats_outcome_words[i] && r->sum.calls[i])
            fprintf(f, "<dt>%s</dt><dd>%s</dd>\n", stats_outcome_words[i], explained[i]);
    fputs("</dl>\n", f);
}

bool report_page(const struct report *r, FILE *f) {
    put_head(f, r);
    if (r->rows)
        put_rows(f, r);
    put_processes(f, r);
    if (r->rows)
        put_reasons_explained(f, r);
    fputs("</body>\n</html>\n", f);
    return fflush(f) == 0 && !ferror(f);
}
