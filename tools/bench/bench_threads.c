/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Operations a second by several threads, each with its own operands. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/base/stats.h"
#include "tools/bench/bench_modes.h"

/* The threads of one measurement. */
struct team {
    pthread_barrier_t start;
    double seconds;
    atomic_int failures, wrong;
    atomic_long done;
};

struct member {
    pthread_t thread;
    struct team *team;
    struct bench_work work;
    double begin, end;
};

/* Works until its time is over, at least twice. */
static void *work(void *argument) {
    struct member *m = argument;
    int failed = m->work.operation->library(&m->work), runs = 0;
    pthread_barrier_wait(&m->team->start);
    m->begin = m->end = stats_clock();
    while (!failed && (runs < 2 || m->end - m->begin < m->team->seconds)) {
        failed = m->work.operation->library(&m->work);
        m->end = stats_clock();
        runs++;
    }
    atomic_fetch_add(&m->team->done, runs);
    atomic_fetch_add(&m->team->failures, failed);
    if (!failed && !bench_work_is_right(&m->work))
        atomic_fetch_add(&m->team->wrong, 1);
    return NULL;
}

/* From the first's begin to the last's end. */
static double span(const struct member *members, int count) {
    double begin = members[0].begin, end = members[0].end;
    for (int i = 1; i < count; i++) {
        begin = members[i].begin < begin ? members[i].begin : begin;
        end = members[i].end > end ? members[i].end : end;
    }
    return end - begin;
}

static bool open_member(struct member *m, struct team *team, const struct bench_shape *shape,
                        enum bench_column column, uint64_t bits) {
    m->team = team;
    if (!bench_work_open(&m->work, shape->operation, bench_column_memory(column), bits))
        return false;
    bench_work_size(&m->work, bits, shape->ratio);
    bench_work_fill(&m->work);
    return true;
}

/* Operations a second by `count` threads; negative if one failed. */
static double rate(const struct bench_options *options, const struct bench_shape *shape,
                   uint64_t bits, int count, enum bench_state *state) {
    static struct member members[BENCH_MOST_THREADS];
    struct team team = {.seconds = options->budget.seconds};
    int opened = 0;
    *state = BENCH_FAILED;
    while (opened < count && open_member(&members[opened], &team, shape, options->columns[0], bits))
        opened++;
    if (opened == count && pthread_barrier_init(&team.start, NULL, (unsigned)count) == 0) {
        for (int i = 0; i < count; i++)
            if (pthread_create(&members[i].thread, NULL, work, &members[i]) != 0) {
                perror("mpgpu-bench: no thread");
                _Exit(2); /* the others wait for it */
            }
        for (int i = 0; i < count; i++)
            pthread_join(members[i].thread, NULL);
        pthread_barrier_destroy(&team.start);
        *state = team.wrong ? BENCH_WRONG : team.failures ? BENCH_FAILED : BENCH_RIGHT;
    }
    double seconds = opened == count ? span(members, count) : 1;
    for (int i = 0; i < opened; i++)
        bench_work_close(&members[i].work);
    return *state == BENCH_FAILED ? -1 : (double)team.done / seconds;
}

/* What the link alone would allow. */
static double link_rate(const struct bench_options *options, const struct bench_shape *shape,
                        uint64_t bits) {
    struct bench_candidate c;
    struct bench_figure f;
    struct bench_work w;
    if (!bench_work_open(&w, shape->operation, &bench_memory_malloc, bits))
        return -1;
    bench_work_size(&w, bits, shape->ratio);
    bench_candidate_open(&c, BENCH_LINK, &w);
    bench_measure(&c, 1, &options->budget, &f);
    bench_candidate_close(&c);
    bench_work_close(&w);
    return f.time.median > 0 ? 1 / f.time.median : -1;
}

static void tell(const struct bench_shape *shape, uint64_t bits, const char *who, double rate,
                 enum bench_state state, struct bench_report *report) {
    struct bench_record r = {.bits = bits, .unit = "per second", .runs = 1, .state = state};
    r.median = r.low = r.high = rate;
    snprintf(r.operation, sizeof r.operation, "%s", shape->name);
    snprintf(r.candidate, sizeof r.candidate, "%s", who);
    bench_report_add(report, &r);
    printf(" %12.2f%s", rate, state == BENCH_WRONG ? " WRONG" : "");
    fflush(stdout);
}

static void row(const struct bench_options *options, const struct bench_shape *shape, uint64_t bits,
                struct bench_report *report) {
    char text[24];
    printf("%-9s %-11s", shape->name, bench_bits_text(bits, text));
    for (int i = 0; i < options->thread_count; i++) {
        enum bench_state state;
        double found = rate(options, shape, bits, options->threads[i], &state);
        snprintf(text, sizeof text, "threads-%d", options->threads[i]);
        tell(shape, bits, text, found, state, report);
    }
    double link = link_rate(options, shape, bits);
    tell(shape, bits, "link", link, link > 0 ? BENCH_RIGHT : BENCH_FAILED, report);
    putchar('\n');
}

int bench_threads(const struct bench_options *options, struct bench_report *report) {
    printf("operations a second by so many threads, and what the link alone allows\n%-9s %-11s",
           "operation", "bits");
    for (int i = 0; i < options->thread_count; i++)
        printf(" %12d", options->threads[i]);
    printf(" %12s\n", "link");
    for (int i = 0; i < options->shape_count; i++)
        for (int k = 0; k < options->sizes; k++)
            row(options, &options->shapes[i], options->bits[k], report);
    return 0;
}
