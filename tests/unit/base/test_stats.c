/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests statistics: counting by many threads and across fork, and both formats of the report. */
#define _GNU_SOURCE 1 /* program_invocation_short_name, pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/base/stats.h"
#include "lib/base/thresholds.h"
#include "lib/session/report/stats_report.h"
#include "tests/support/capture.h"
#include "tests/support/testing.h"

static const char *const names[] = {"mpz_mul", "mpn_sqr", "mpz_add"};

static void start(int kind) {
    mpgpu_conf.stats = kind;
    stats_init(names, 3);
}

static void count_some(void) {
    stats_begin();
    stats_add(&(struct stats_times){0.25, 0.5, 0.125, {[STATS_NTT] = 3, [STATS_BLOCK] = 1}, 0, 0});
    stats_count(0, OUTCOME_DONE, 100, 1.0, NULL);
    stats_count(0, OUTCOME_OPENING, 11, 2.0, NULL);
    stats_count(0, OUTCOME_MEMORY, 1, 0.5, NULL);
    stats_count(2, OUTCOME_FORKED, 5, 0.001, NULL);
}

/* Returns the part of the JSON report that begins with the device, and checks that the part before
 * the device names this process. */
static const char *json_of_device(const char *text) {
    char process[96];
    snprintf(process, sizeof process, "mpgpu: {\"program\":\"%s\",\"process\":%ld,\"seconds\":0.",
             program_invocation_short_name, (long)getpid());
    ck_assert_int_eq(strncmp(text, process, strlen(process)), 0);
    return strstr(text, "\"device\"");
}

static const char *report(void) {
    capture_begin();
    stats_report("opencl: \"X\"");
    return capture_end();
}

START_TEST(test_off) {
    start(STATS_OFF);
    ck_assert_int_eq(stats_on, 0);
    count_some();
    ck_assert_str_eq(report(), "");
}
END_TEST

START_TEST(test_text) {
    start(STATS_TEXT);
    ck_assert_int_ne(stats_on, 0);
    count_some();
    const char *text = report();
    /* seven lines: process, device, heading, column names, two functions, total */
    ck_assert_int_eq(count_lines(text), 7);
    char process[64];
    snprintf(process, sizeof process, "mpgpu: %s, process %ld, 0.", program_invocation_short_name,
             (long)getpid());
    ck_assert_int_eq(strncmp(text, process, strlen(process)), 0);
    ck_assert_contains(text, "mpgpu: device: opencl: \"X\"\n");
    ck_assert_contains(
        text, "mpgpu: mpz_mul                    3         1           112     1.000"
              "     0.250     0.500     0.125     2.500  by ntt 3, block 1  opening 1, memory 1\n");
    ck_assert_contains(text, "mpgpu: mpz_add                    1         0             5     0.000"
                             "     0.000     0.000     0.000     0.001  forked 1\n");
    ck_assert_contains(text, "mpgpu: all                        4         1           117");
    ck_assert_ptr_null(strstr(text, "mpn_sqr"));
    ck_assert_str_eq(report(), "");
}
END_TEST

START_TEST(test_nothing_counted) {
    start(STATS_TEXT);
    capture_begin();
    stats_report(NULL);
    const char *text = capture_end();
    ck_assert_contains(text, "mpgpu: device: not used\n");
    ck_assert_contains(text, "mpgpu: all                        0         0 ");
    ck_assert_ptr_null(strstr(text, "never"));
}
END_TEST

START_TEST(test_nothing_sent) {
    start(STATS_TEXT);
    thresholds_set(PROFILE_mul, MPGPU_NEVER);
    thresholds_set(PROFILE_sqr, MPGPU_NEVER);
    ck_assert_contains(report(), "nothing was sent: this device's thresholds are never");
}
END_TEST

START_TEST(test_json) {
    start(STATS_JSON);
    count_some();
    ck_assert_str_eq(
        json_of_device(report()),
        "\"device\":\"opencl: \\\"X\\\"\",\"functions\":[\n"
        "mpgpu: {\"function\":\"mpz_mul\",\"calls\":3,\"sent\":1,\"limbs\":112,\"seconds\":"
        "{\"device\":1.000000,\"upload\":0.250000,\"kernels\":0.500000,\"download\":0.125000,"
        "\"gmp\":2.500000},\"by\":{\"ntt\":3,\"block\":1},\"recomputed\":0,\"not_sent\":{"
        "\"opening\":1,"
        "\"memory\":1}"
        "},\n"
        "mpgpu: {\"function\":\"mpz_add\",\"calls\":1,\"sent\":0,\"limbs\":5,\"seconds\":"
        "{\"device\":0.000000,\"upload\":0.000000,\"kernels\":0.000000,\"download\":0.000000,"
        "\"gmp\":0.001000},\"by\":{},\"recomputed\":0,\"not_sent\":{\"forked\":1}}]}\n");
}
END_TEST

START_TEST(test_json_of_nothing) {
    start(STATS_JSON);
    ck_assert_str_eq(json_of_device(report()),
                     "\"device\":\"opencl: \\\"X\\\"\",\"functions\":[]}\n");
}
END_TEST

/* Checks the report in a locale that writes numbers with a decimal comma, if one is installed. */
START_TEST(test_locale) {
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE")) {
        testing_skip("decimal comma: no German locale on this machine");
        return;
    }
    start(STATS_TEXT);
    count_some();
    ck_assert_contains(report(), " 0.250 ");
}
END_TEST

/* Counts products by the algorithm fft. One of them failed its check and was computed again by
 * ntt. */
START_TEST(test_recomputed) {
    start(_i ? STATS_JSON : STATS_TEXT);
    stats_add(&(struct stats_times){0, 0, 0, {[STATS_NTT] = 1, [STATS_FFT] = 2}, .recomputed = 1});
    stats_count(0, OUTCOME_DONE, 1, 1, NULL);
    ck_assert_contains(report(),
                       _i ? "\"by\":{\"ntt\":1,\"fft\":2},\"recomputed\":1,\"not_sent\":{}"
                          : "  by ntt 1, fft 2  recomputed 1\n");
}
END_TEST

/* Times that were measured before a call must be added to the statistics of that call only. */
START_TEST(test_times_are_used_once) {
    start(STATS_TEXT);
    stats_here()->upload = 1;
    stats_count(0, OUTCOME_DONE, 1, 1, NULL);
    stats_count(0, OUTCOME_DONE, 1, 1, NULL);
    stats_here()->kernels = 1; /* between calls */
    stats_begin();
    stats_count(0, OUTCOME_DONE, 1, 1, NULL);
    ck_assert_contains(report(), "     3.000     1.000     0.000     0.000     0.000\n");
}
END_TEST

enum { THREADS = 4, COUNTS = 20000 };

static void *count_many(void *unused) {
    for (int i = 0; i < COUNTS; i++) {
        stats_begin();
        stats_here()->ways[STATS_SSA] = 2;
        stats_here()->kernels = 1e-3;
        stats_count(1, OUTCOME_DONE, 3, 1e-3, NULL);
    }
    return unused;
}

START_TEST(test_threads) {
    pthread_t thread[THREADS];
    char row[200];
    start(STATS_TEXT);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, count_many, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    snprintf(row, sizeof row,
             "mpn_sqr %20d %9d %13d%10.3f     0.000%10.3f     0.000     0.000  by ssa %d\n",
             THREADS * COUNTS, THREADS * COUNTS, 3 * THREADS * COUNTS, 1e-3 * THREADS * COUNTS,
             1e-3 * THREADS * COUNTS, 2 * THREADS * COUNTS);
    ck_assert_contains(report(), row);
}
END_TEST

/* After fork, a child without calls must print no report. A child with calls must report only its
 * own calls. */
START_TEST(test_fork) {
    start(STATS_TEXT);
    count_some();
    for (int calls = 0; calls < 2; calls++) {
        pid_t child = fork();
        if (child == 0) {
            for (int i = 0; i < calls; i++)
                stats_count(1, OUTCOME_FORKED, 7, 0, NULL);
            const char *text = report();
            int good = calls
                           ? strstr(text, "mpn_sqr                    1         0             7") &&
                                 !strstr(text, "mpz_mul")
                           : *text == 0;
            _exit(!good);
        }
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_contains(report(), "mpz_mul                    3         1");
}
END_TEST

/* Checks that the clock counts seconds, including time in which the process sleeps. */
START_TEST(test_clock) {
    const struct timespec nap = {.tv_nsec = 20000000};
    time_t wall = time(NULL);
    double before = stats_clock();
    ck_assert_int_eq(nanosleep(&nap, NULL), 0);
    double seconds = stats_clock() - before;
    ck_assert_msg(seconds >= 0.019 && seconds <= difftime(time(NULL), wall) + 2, "%g s", seconds);
}
END_TEST

/* A write that stops in the middle must set errno, because stats_report prints the reason. */
START_TEST(test_partial_write) {
    static char text[1 << 20];
    int ends[2];
    ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0); /* has room for fewer bytes */
    errno = 0;
    ck_assert(!mpgpu_log_write(ends[1], text, sizeof text));
    ck_assert_int_eq(errno, ENOSPC);
    ck_assert(!mpgpu_log_write(ends[1], text, sizeof text));
    ck_assert_int_eq(errno, EAGAIN);
    ck_assert_int_eq(read(ends[0], text, sizeof text) > 0, 1);
    ck_assert(mpgpu_log_write(ends[1], text, 100));
    ck_assert_int_eq(errno, EAGAIN); /* unchanged */
}
END_TEST

int main(void) {
    return testing_main("stats", 4,
                        TESTS(ONCE(test_off), ONCE(test_text), ONCE(test_nothing_counted),
                              ONCE(test_nothing_sent), ONCE(test_json), ONCE(test_json_of_nothing),
                              ONCE(test_locale), LOOP(test_recomputed, 2),
                              ONCE(test_times_are_used_once), ONCE(test_threads), ONCE(test_fork),
                              ONCE(test_clock), ONCE(test_partial_write)));
}
