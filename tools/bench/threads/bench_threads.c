/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations a second by several threads, or processes, of a program: with the library and with GMP
 * alone, in turns. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench_modes.h"
#include "tools/bench/threads/bench_call.h"
#include "tools/bench/threads/bench_team.h"

enum { LIBRARY, GMP, SIDES };

/* So many processes of so many threads. */
struct crowd {
    int processes, threads;
};

/* One figure: rounds of both sides. */
struct match {
    const struct bench_shape *shape;
    uint64_t bits;
    struct crowd crowd;
    int rounds;
    double rate[SIDES][BENCH_MOST_ROUNDS], ratio[BENCH_MOST_ROUNDS];
    long runs[SIDES];
    int wrong[SIDES];
};

/* The lowest ratio, and where. */
struct lowest {
    double ratio;
    char where[96];
};

struct threads {
    const struct bench_options *options;
    struct bench_report *report;
    struct bench_team team[SIDES];
    struct match match;
    struct lowest lowest;
};

static const char *plural(struct crowd c) {
    return c.processes > 1 ? "processes" : c.threads > 1 ? "threads" : "thread";
}

static int number(struct crowd c) {
    return c.processes > 1 ? c.processes : c.threads;
}

/* ---- measuring */

static bool order(struct threads *t) {
    const struct match *m = &t->match;
    int call = (int)(m->shape->call - bench_calls);
    for (int side = 0; side < SIDES; side++)
        if (!bench_team_order(&t->team[side], m->crowd.processes, m->crowd.threads, call, m->bits,
                              m->shape->ratio))
            return false;
    return true;
}

/* A round of each side, `first` before the other. */
static bool take_turns(struct threads *t, int first, double seconds, int at) {
    struct match *m = &t->match;
    for (int i = 0; i < SIDES; i++) {
        int side = first ^ i;
        long runs;
        if (!bench_team_round(&t->team[side], seconds, &m->rate[side][at], &runs))
            return false;
        m->runs[side] += runs;
    }
    m->ratio[at] = m->rate[LIBRARY][at] / m->rate[GMP][at];
    return true;
}

/* Rounds by turns after one of each side that is not counted. */
static bool measure(struct threads *t) {
    double seconds = t->options->budget.seconds;
    struct match *m = &t->match;
    bool is_done = order(t) && take_turns(t, LIBRARY, seconds / 2, 0);
    m->runs[LIBRARY] = m->runs[GMP] = 0;
    for (int i = 0; i < m->rounds && is_done; i++)
        is_done = take_turns(t, i % SIDES, seconds, i);
    for (int side = 0; side < SIDES && is_done; side++)
        is_done = bench_team_end(&t->team[side], &m->wrong[side]);
    return is_done;
}

/* ---- telling */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts `values`, and returns their median. */
static double record(struct threads *t, const char *prefix, const char *unit, double *values,
                     long runs, bool is_wrong) {
    const struct match *m = &t->match;
    int last = m->rounds - 1;
    struct bench_record r = {.bits = m->bits, .unit = unit};
    qsort(values, (size_t)m->rounds, sizeof *values, by_value);
    r.median = values[m->rounds / 2], r.low = values[m->rounds / 4];
    r.high = values[last - m->rounds / 4];
    r.runs = (int)(runs < 1000000000 ? runs : 1000000000);
    r.state = is_wrong ? BENCH_WRONG : BENCH_RIGHT;
    snprintf(r.operation, sizeof r.operation, "%s", m->shape->name);
    snprintf(r.candidate, sizeof r.candidate, "%s%s-%d", prefix,
             m->crowd.processes > 1 ? "processes" : "threads", number(m->crowd));
    bench_report_add(t->report, &r);
    return r.median;
}

static void tell(struct threads *t) {
    struct match *m = &t->match;
    char bits[24];
    bool is_wrong = m->wrong[LIBRARY] > 0 || m->wrong[GMP] > 0;
    double with =
        record(t, "", "per second", m->rate[LIBRARY], m->runs[LIBRARY], m->wrong[LIBRARY]);
    double gmp = record(t, "gmp-", "per second", m->rate[GMP], m->runs[GMP], m->wrong[GMP]);
    double ratio = record(t, "ratio-", "ratio", m->ratio, m->rounds, is_wrong);
    printf(" %9.*f %9.*f %6.3f%s", with < 100 ? 2 : 0, with, gmp < 100 ? 2 : 0, gmp, ratio,
           is_wrong ? " WRONG" : "");
    fflush(stdout);
    if (t->lowest.ratio > 0 && t->lowest.ratio <= ratio)
        return;
    t->lowest.ratio = ratio;
    snprintf(t->lowest.where, sizeof t->lowest.where, "%s, %s bits, %d %s", m->shape->name,
             bench_bits_text(m->bits, bits), number(m->crowd), plural(m->crowd));
}

static void head(const struct crowd *crowds, int count) {
    char text[32];
    printf("%-9s %-11s", "", "");
    for (int i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%d %s", number(crowds[i]), plural(crowds[i]));
        printf(" %26s", text);
    }
    printf("\n%-9s %-11s", "operation", "bits");
    for (int i = 0; i < count; i++)
        printf(" %9s %9s %6s", "library", "GMP", "ratio");
    putchar('\n');
}

/* ---- tables */

static bool row(struct threads *t, const struct bench_shape *shape, uint64_t bits,
                const struct crowd *crowds, int count) {
    char text[24];
    bool is_done = true;
    printf("%-9s %-11s", shape->name, bench_bits_text(bits, text));
    for (int i = 0; i < count && is_done; i++) {
        t->match.shape = shape;
        t->match.bits = bits;
        t->match.crowd = crowds[i];
        is_done = measure(t);
        if (is_done)
            tell(t);
    }
    putchar('\n');
    return is_done;
}

static bool rows(struct threads *t, const struct crowd *crowds, int count) {
    const struct bench_options *o = t->options;
    head(crowds, count);
    for (int i = 0; i < o->shape_count; i++)
        for (int k = 0; k < o->sizes; k++)
            if (!row(t, &o->shapes[i], o->bits[k], crowds, count))
                return false;
    return true;
}

/* All crowds are of as many or fewer processes as the largest; each is of the first ones. */
static bool table(struct threads *t, const char *library, const struct crowd *crowds, int count) {
    char conf[600];
    int most = 1;
    bool is_malloc = t->options->columns[0] == BENCH_MALLOC;
    for (int i = 0; i < count; i++)
        most = crowds[i].processes > most ? crowds[i].processes : most;
    snprintf(conf, sizeof conf, "%s%s%s", t->options->conf,
             is_malloc && *t->options->conf ? "," : "", is_malloc ? "pool:off" : "");
    for (int side = 0; side < SIDES; side++)
        t->team[side] = (struct bench_team){.memory = -1};
    bool is_done = bench_team_open(&t->team[LIBRARY], most, library, conf) &&
                   bench_team_open(&t->team[GMP], most, NULL, "");
    if (is_done && !t->team[LIBRARY].has_device)
        puts("the library has no device: GMP computes in both columns");
    is_done = is_done && rows(t, crowds, count);
    for (int side = 0; side < SIDES; side++)
        bench_team_close(&t->team[side]);
    return is_done;
}

int bench_threads(const struct bench_options *options, struct bench_report *report) {
    static struct threads t;
    struct crowd crowds[BENCH_MOST_COUNTS];
    char library[4200];
    t = (struct threads){.options = options, .report = report};
    t.match.rounds = options->budget.least;
    snprintf(library, sizeof library, "%s", options->library ? options->library : "");
    bool is_done = options->library || bench_team_find_library(library, sizeof library);
    if (is_done)
        printf("operations a second by all threads: with %s, by GMP alone, their ratio\n", library);
    for (int i = 0; i < options->thread_count; i++)
        crowds[i] = (struct crowd){1, options->threads[i]};
    if (is_done && options->thread_count)
        is_done = table(&t, library, crowds, options->thread_count);
    for (int i = 0; i < options->process_count; i++)
        crowds[i] = (struct crowd){options->processes[i], 1};
    if (is_done && options->process_count)
        is_done = table(&t, library, crowds, options->process_count);
    if (t.lowest.ratio > 0)
        printf("lowest ratio: %.3f at %s\n", t.lowest.ratio, t.lowest.where);
    return is_done ? 0 : 2;
}
