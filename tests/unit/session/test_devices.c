/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests several devices: which device a call uses, lists with errors in the option `device`, and a
 * device that fails. Every test runs in a separate process. */
#include <string.h>
#include <unistd.h>

#include "lib/base/conf.h"
#include "lib/base/log.h"
#include "lib/session/session_device.h"
#include "lib/session/report/stats_report.h"
#include "tests/support/twins.h"
#include "tests/unit/session/works.h"

const struct gpu_backend *const gpu_backends[] = {&twin_backend, NULL};

enum { THREADS = 6, ROUNDS = 8 };

static void begin(const char *conf) {
    char all[256];
    snprintf(all, sizeof all, "open:wait,watchdog:0,dispatch:fixed,mul:1,stats:text,%s,log:%lu",
             conf, testing_option("MPGPU_TEST_LOG", 0) % 10);
    setenv("MPGPU_CONF", all, 1);
    session_init();
    stats_on = true;
}

/* Computes small and longer products in several threads at the same time. Returns the sums of the
 * threads' counts. */
static struct work work_on_both(void) {
    static const size_t sizes[THREADS] = {150, 3000, 4000, 5000, 30, 6000};
    struct work sum = work_at_once(sizes, THREADS, ROUNDS);
    ck_assert_int_eq(sum.wrong, 0);
    ck_assert_int_eq(twins[0].strays + twins[1].strays, 0);
    return sum;
}

static uint64_t calls_of(unsigned i) {
    struct session_work work;
    return session_ask_work(i, &work) ? work.calls : 0;
}

static unsigned in_use(void) {
    unsigned number[SESSION_DEVICES];
    return session_devices(number);
}

/* ---- calls */

START_TEST(threads_use_both) {
    begin(_i ? "device:all" : "device:0+1");
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    ck_assert_uint_eq(in_use(), 2);
    struct work sum = work_on_both();
    ck_assert_int_eq(sum.done, THREADS * ROUNDS);
    ck_assert_uint_gt(calls_of(0), 0);
    ck_assert_uint_gt(calls_of(1), 0);
    ck_assert_uint_ge(calls_of(0) + calls_of(1), THREADS * ROUNDS);
    ck_assert_int_gt(twins[1].launches, 0);
}
END_TEST

/* Unless the option `device` is a list of devices, the library must use only one device. */
START_TEST(one_unless_asked) {
    begin(_i ? "device:1" : "device:auto");
    struct work sum = work_on_both();
    ck_assert_int_eq(sum.done, THREADS * ROUNDS);
    ck_assert_uint_eq(in_use(), 1);
    ck_assert_int_eq(twins[!_i].launches, 0);
}
END_TEST

/* A thread that is bound to a device must use no other device. */
START_TEST(bound) {
    struct work w;
    begin("device:0+1");
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    uint64_t before = calls_of(0);
    prepare(&w, 4000, ROUNDS);
    ck_assert_int_eq(session_bind(1), SESSION_ANY);
    ck_assert_int_eq(session_least_used(), 1);
    multiply(&w);
    ck_assert_int_eq(w.done, ROUNDS);
    ck_assert_uint_eq(calls_of(0), before);
    session_device_leave_alone(session_device(1), "of a test");
    multiply(&w);
    ck_assert_int_eq(w.failed, ROUNDS);
    ck_assert_int_eq(session_bind(SESSION_ANY), 1);
    multiply(&w);
    ck_assert_int_eq(w.done, 2 * ROUNDS);
    ck_assert_uint_ge(calls_of(0), before + ROUNDS);
    free(w.up);
}
END_TEST

/* Allocates 48 MiB on the device of this thread. The option `memory` limits each device separately,
 * so two such blocks must not fit on one device. */
static enum gpu_status take(struct context *s, void *unused) {
    gpu_mem mem;
    (void)unused;
    return context_alloc(s, 48 << 20, &mem);
}

START_TEST(memory_of_each) {
    int unused = 0;
    begin("device:0+1,memory:64M");
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    int place = session_least_used();
    for (int i = 0; i < 2; i++) {
        int here = i == 0 ? place : !place;
        ck_assert_int_eq(session_least_used(), here);
        session_bind(here);
        ck_assert_int_eq(session_run(take, &unused, sizeof unused, 0), OUTCOME_DONE);
        ck_assert_uint_ge(context_in_use((unsigned)here), 48 << 20);
        ck_assert_int_eq(session_run(take, &unused, sizeof unused, 0), OUTCOME_MEMORY);
        session_bind(SESSION_ANY);
    }
}
END_TEST

/* ---- lists */

static const struct {
    const char *conf;
    unsigned count;
    /* the expected warning, which names the wrong word of the list; NULL: no warning */
    const char *warning;
} lists[] = {{"device:0+0", 1, "`0` is in the list already"},
             {"device:1+7+0", 2, "`7` is no device here"},
             {"device:0+", 1, "`` is no device here"},
             {"device:7+8", 0, "`8` is no device here"},
             {"device:twin+first+1", 2, "`first` is in the list already"},
             {"device:second+FIRST", 2, NULL}};
enum { LISTS = sizeof lists / sizeof *lists };

/* Redirects standard error to a file. */
static FILE *divert(void) {
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(dup2(fileno(file), STDERR_FILENO), 0);
    mpgpu_log_look();
    return file;
}

static void check_said(FILE *file, const char *warning) {
    char said[2000];
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    if (warning)
        ck_assert_msg(strstr(said, warning) != NULL, "not said: %s, but: %s", warning, said);
    else
        ck_assert_str_eq(said, "");
}

START_TEST(wrong_lists) {
    char about[512];
    FILE *file = divert();
    begin(lists[_i].conf);
    ck_assert_int_eq(session_wait(), lists[_i].count ? OUTCOME_DONE : OUTCOME_NONE);
    session_describe(about, sizeof about);
    ck_assert_msg(in_use() == lists[_i].count, "%s: %s", lists[_i].conf, about);
    check_said(file, lists[_i].warning);
}
END_TEST

/* The statistics at the program's end must have a line for each device. */
START_TEST(statistics) {
    static const char *const names[] = {"mul"};
    char line[80];
    FILE *file = divert();
    begin(_i ? "device:0+1,stats:json" : "device:0+1,stats:text");
    stats_init(names, 1);
    work_on_both();
    stats_report("twins");
    snprintf(line, sizeof line,
             _i ? "\"used\":true,\"calls\":%lu,\"seconds\":" : "device 1: %lu calls, ",
             (unsigned long)calls_of(1));
    check_said(file, line);
}
END_TEST

/* ---- failures */

START_TEST(one_does_not_open) {
    atomic_store(&twins[_i].open, GPU_FAILED);
    begin("device:0+1");
    struct work sum = work_on_both();
    ck_assert_int_eq(sum.done, THREADS * ROUNDS);
    ck_assert_uint_eq(in_use(), 1);
    ck_assert_uint_eq(calls_of((unsigned)_i), 0);
}
END_TEST

/* If one device fails three times, the library must continue with the other one. If the other
 * device fails, too, no device is left. */
START_TEST(one_fails) {
    begin("device:0+1");
    struct work sum = work_on_both();
    ck_assert_int_eq(sum.done, THREADS * ROUNDS);
    atomic_store(&twins[_i].launch, GPU_FAILED);
    sum = work_on_both();
    ck_assert_int_le(sum.failed, 2 * THREADS + 3);
    ck_assert_uint_eq(in_use(), 1);
    sum = work_on_both();
    ck_assert_int_eq(sum.done, THREADS * ROUNDS);
    atomic_store(&twins[!_i].launch, GPU_FAILED);
    work_on_both();
    ck_assert_uint_eq(in_use(), 0);
    ck_assert_int_eq(session_wait(), OUTCOME_NONE);
    sum = work_on_both();
    ck_assert_int_eq(sum.failed, THREADS * ROUNDS);
}
END_TEST

/* A device that hangs must delay a call by at most the watchdog's time. The tests repeat the calls
 * until one uses the hanging device, because calls may prefer the other device at first. */
START_TEST(one_hangs) {
    begin("device:0+1");
    struct work sum = work_on_both();
    ck_assert_int_eq(sum.done, THREADS * ROUNDS);
    mpgpu_conf.watchdog = 2;
    atomic_store(&twins[_i].launch, TWIN_HANGS);
    sum.failed = 0;
    for (int k = 0; k < 20 && sum.failed == 0 && in_use() == 2; k++)
        sum = work_on_both();
    ck_assert_int_le(sum.failed, THREADS);
    ck_assert_uint_eq(in_use(), 1);
    mpgpu_conf.watchdog = 0;
    sum = work_on_both();
    ck_assert_int_eq(sum.done, THREADS * ROUNDS);
    twin_answer(); /* late: nothing changes */
    sum = work_on_both();
    ck_assert_int_eq(sum.done, THREADS * ROUNDS);
    ck_assert_uint_eq(in_use(), 1);
}
END_TEST

/* ---- acquiring all devices */

static atomic_int jobs_running;

static enum gpu_status take_time(struct context *s, void *seconds) {
    (void)s;
    atomic_fetch_add(&jobs_running, 1);
    usleep((useconds_t)(*(double *)seconds * 1e6));
    return GPU_OK;
}

static void *occupy(void *device) {
    double seconds = *(int *)device == 0 ? 1 : 2.5;
    session_bind(*(int *)device);
    session_run(take_time, &seconds, sizeof seconds, 0);
    return NULL;
}

/* The time limit must hold for all devices together: device 1 ends its job only after the limit,
 * but less than the limit after device 0. */
START_TEST(acquiring_has_one_limit) {
    pthread_t thread[2];
    int device[] = {0, 1};
    begin("device:0+1");
    ck_assert_int_eq(session_wait(), OUTCOME_DONE);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, occupy, &device[i]), 0);
    while (atomic_load(&jobs_running) < 2)
        usleep(1000);
    ck_assert(!session_devices_acquire_all(2));
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    ck_assert(session_devices_acquire_all(2));
    session_devices_release_all();
}
END_TEST

int main(void) {
    return twins_main("devices",
                      TESTS(LOOP(threads_use_both, 2), LOOP(one_unless_asked, 2), ONCE(bound),
                            ONCE(memory_of_each), LOOP(wrong_lists, LISTS), LOOP(statistics, 2),
                            LOOP(one_does_not_open, 2), LOOP(one_fails, 2), LOOP(one_hangs, 2),
                            ONCE(acquiring_has_one_limit)));
}
