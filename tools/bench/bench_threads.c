/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The mode threads: measures operations per second of several threads, or processes, alternately
 * with the library and with GMP alone. */
#include "config.h"

#include "tools/bench/bench_threads.h"

#include <stdlib.h>
#include <string.h>

#include "tools/bench/bench.h"
#include "tools/work.h"

enum { LIBRARY, GMP, SIDES };

/* The rounds in which the library and GMP are compared at one number of threads and processes. */
struct match {
    const struct bench_shape *shape;
    struct bench_order order;
    int rounds;
    double rate[SIDES][BENCH_MOST_ROUNDS], ratio[BENCH_MOST_ROUNDS];
    long runs[SIDES];
    bool is_wrong;
};

struct threads {
    const struct bench_options *options;
    struct bench_report *report;
    struct bench_team team[SIDES];
    struct match match;
    double lowest; /* lowest median so far of the library's rate / GMP's; 0: none yet */
    char where[96];
};

static const char *plural(const struct bench_order *o) {
    return o->processes > 1 ? "processes" : o->threads > 1 ? "threads" : "thread";
}

static int number(const struct bench_order *o) {
    return o->processes > 1 ? o->processes : o->threads;
}

/* ---- measuring */

/* Runs a round with the library and a round with GMP alone; `first` says which of the two comes
 * first. Stores the rates of both at index `at`. */
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

/* Sets is_wrong if the hashes of the library's team and of GMP's team differ, or if a result of the
 * library has changed. Both teams have computed the same operations on the same operands. */
static void compare(struct threads *t) {
    const struct bench_share *library = t->team[LIBRARY].shared->share,
                             *gmp = t->team[GMP].shared->share;
    t->match.is_wrong = false;
    for (int i = 0; i < t->match.order.processes; i++)
        t->match.is_wrong |= library[i].hash != gmp[i].hash || library[i].has_moved;
}

/* Measures alternate rounds with the library and with GMP alone, after a shorter round of each that
 * does not count. */
static bool measure(struct threads *t) {
    double seconds = t->options->budget.seconds;
    struct match *m = &t->match;
    bool is_done = true;
    for (int side = 0; side < SIDES && is_done; side++)
        is_done = bench_team_order(&t->team[side], &m->order);
    is_done = is_done && take_turns(t, LIBRARY, seconds / 2, 0);
    m->runs[LIBRARY] = m->runs[GMP] = 0;
    for (int i = 0; i < m->rounds && is_done; i++)
        is_done = take_turns(t, i % SIDES, seconds, i);
    for (int side = 0; side < SIDES && is_done; side++)
        is_done = bench_team_end(&t->team[side]);
    if (is_done)
        compare(t);
    return is_done;
}

/* ---- reporting */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts `values`, reports their median and quartiles, and returns the median. */
static double put(struct threads *t, const char *prefix, const char *unit, double *values,
                  long runs, bool is_wrong) {
    const struct match *m = &t->match;
    char candidate[24];
    qsort(values, (size_t)m->rounds, sizeof *values, by_value);
    struct timing time = {values[m->rounds / 2], values[m->rounds / 4],
                          values[m->rounds - 1 - m->rounds / 4],
                          (int)(runs < 1000000000 ? runs : 1000000000)};
    snprintf(candidate, sizeof candidate, "%s%s-%d", prefix,
             m->order.processes > 1 ? "processes" : "threads", number(&m->order));
    bench_report_put(t->report, candidate, unit,
                     (struct bench_figure){time, is_wrong ? BENCH_WRONG : BENCH_RIGHT});
    return time.median;
}

static void put_match(struct threads *t) {
    struct match *m = &t->match;
    put(t, "", "per second", m->rate[LIBRARY], m->runs[LIBRARY], m->is_wrong);
    put(t, "gmp-", "per second", m->rate[GMP], m->runs[GMP], false);
    double ratio = put(t, "ratio-", "ratio", m->ratio, m->rounds, m->is_wrong);
    if (t->lowest > 0 && t->lowest <= ratio)
        return;
    char bits[24];
    t->lowest = ratio;
    snprintf(t->where, sizeof t->where, "%s, %s bits, %d %s", m->shape->name,
             bench_bits_text(m->order.bits, bits), number(&m->order), plural(&m->order));
}

/* ---- tables */

static bool row(struct threads *t, const struct bench_shape *shape, uint64_t bits,
                const struct bench_order *orders, int count) {
    bool is_done = true;
    bench_report_row(t->report, shape->name, bits, 0, 0, 0);
    for (int i = 0; i < count && is_done; i++) {
        t->match.shape = shape;
        t->match.order = orders[i];
        t->match.order.operation = (int)(shape->call - work_operations);
        t->match.order.bits = bits;
        t->match.order.ratio = shape->ratio;
        is_done = measure(t);
        if (is_done)
            put_match(t);
    }
    bench_report_print(t->report, "");
    return is_done;
}

static bool rows(struct threads *t, const struct bench_order *orders, int count) {
    const struct bench_options *o = t->options;
    for (int i = 0; i < o->shape_count; i++)
        for (int k = 0; k < o->sizes; k++)
            if (!row(t, &o->shapes[i], o->bits[k], orders, count))
                return false;
    return true;
}

/* Starts the processes for the measurement with the most processes.  The other measurements use
 * only some of these processes, beginning with the first. */
static bool table(struct threads *t, const char *library, const struct bench_order *orders,
                  int count) {
    char conf[600];
    int most = 1;
    bool is_malloc = t->options->columns[0] == BENCH_MALLOC;
    for (int i = 0; i < count; i++)
        most = orders[i].processes > most ? orders[i].processes : most;
    snprintf(conf, sizeof conf, "%s%s%s", t->options->conf,
             is_malloc && *t->options->conf ? "," : "", is_malloc ? "pool:off" : "");
    for (int side = 0; side < SIDES; side++)
        t->team[side] = (struct bench_team){.memory = -1};
    bool is_done = bench_team_open(&t->team[LIBRARY], most, library, conf) &&
                   bench_team_open(&t->team[GMP], most, NULL, "");
    if (is_done && !t->team[LIBRARY].has_device)
        puts("the library has no device: GMP computes in both columns");
    is_done = is_done && rows(t, orders, count);
    for (int side = 0; side < SIDES; side++)
        bench_team_close(&t->team[side]);
    return is_done;
}

int bench_threads(const struct bench_options *o, struct bench_report *report) {
    static struct threads t;
    struct bench_order threads[BENCH_MOST_COUNTS], processes[BENCH_MOST_COUNTS];
    char library[4200];
    t = (struct threads){.options = o, .report = report, .match.rounds = o->budget.least};
    snprintf(library, sizeof library, "%s", o->library ? o->library : "");
    bool is_done = o->library || bench_find_library(library, sizeof library);
    if (is_done)
        printf("operations per second by all threads: with %s, by GMP alone, their ratio\n",
               library);
    for (int i = 0; i < o->thread_count; i++)
        threads[i] = (struct bench_order){1, o->threads[i], 0, 0, 1};
    for (int i = 0; i < o->process_count; i++)
        processes[i] = (struct bench_order){o->processes[i], 1, 0, 0, 1};
    if (is_done && o->thread_count)
        is_done = table(&t, library, threads, o->thread_count);
    if (is_done && o->process_count)
        is_done = table(&t, library, processes, o->process_count);
    if (t.lowest > 0)
        printf("lowest ratio: %.3f at %s\n", t.lowest, t.where);
    return is_done ? 0 : 2;
}
