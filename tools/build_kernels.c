/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Builds kernels before programs need them, and shows the progress. */
#include "config.h"

#include "tools/build_kernels.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "gpu/gpu.h"
#include "gpu/build/own_process.h"
#include "lib/base/stats.h"
#include "lib/session/session.h"

enum {
    LOOKS_A_SECOND = 10,
    /* the wait ends if no program is finished for this many seconds; on a busy machine one program
     * takes minutes */
    PATIENCE = 600
};

static double began;
static atomic_bool has_ended;

static void look_again(void) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000000 / LOOKS_A_SECOND}, NULL);
}

static void print_progress(void) {
    struct gpu_builds_numbers n;
    gpu_builds_ask(&n);
    if (n.wanted > 0)
        fprintf(stderr, "\rbuilding kernels: %u of %u, %.1f s", n.done, n.wanted,
                stats_clock() - began);
}

static void *show_progress(void *unused) {
    (void)unused;
    for (; !atomic_load(&has_ended); look_again())
        print_progress();
    fputs("\r\033[K", stderr);
    return NULL;
}

/* Waits until helper processes have built the last program.  Returns false if none is finished for
 * PATIENCE seconds. */
static bool await_last(struct gpu_builds_numbers *n) {
    unsigned seen = 0;
    int looks = 0;
    for (gpu_builds_ask(n); n->done < n->wanted; gpu_builds_ask(n)) {
        looks = n->done == seen ? looks + 1 : 0;
        seen = n->done;
        if (looks > PATIENCE * LOOKS_A_SECOND)
            return false;
        look_again();
    }
    return true;
}

static int report(bool is_all, const struct gpu_builds_numbers *n) {
    if (n->wanted == 0)
        puts("kernels: none to be built");
    else
        printf("kernels: %u programs built in %.1f s, kept for later\n", n->done,
               stats_clock() - began);
    if (!is_all)
        fprintf(stderr, "mpgpu-info: %u programs were not built\n", n->wanted - n->done);
    return is_all ? 0 : 1;
}

/* Builds all programs that the cache lacks.  Returns whether there is a device.  Sets *is_all to
 * true if all programs are built. */
static bool build_all(struct gpu_builds_numbers *n, bool *is_all) {
    pthread_t thread;
    bool shows = isatty(STDERR_FILENO) && pthread_create(&thread, NULL, show_progress, NULL) == 0;
    struct gpu_device dev;
    struct profile unused;
    bool is_open = session_wait() == OUTCOME_DONE;
    if (is_open && session_profile(&dev, &unused) == OUTCOME_DONE)
        gpu_build_expected(&dev);
    *is_all = await_last(n);
    atomic_store(&has_ended, true);
    if (shows)
        pthread_join(thread, NULL);
    return is_open;
}

int build_kernels(void) {
    char text[512];
    struct gpu_builds_numbers n;
    bool is_all;
    began = stats_clock();
    session_open_any();
    session_init();
    own_process_begin();
    gpu_expect_at_once();
    bool is_open = build_all(&n, &is_all);
    session_describe(text, sizeof text);
    printf("device: %s\n", text);
    return is_open ? report(is_all, &n) : 1;
}
