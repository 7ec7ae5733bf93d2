/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Times a product that two devices share, on one GPU: two twins of it
 * (tests/support/twin_backend.h) do each step one after the other, so that each takes what it takes
 * a GPU alone.  The slower one's time, summed over the steps, says what two GPUs would take whose
 * links do not disturb each other. Added to it is what the threads that wait between steps take,
 * measured with steps that wait for nothing else.  Copies between the twins stay inside the GPU;
 * their time and bytes are told. Last are what steps are made of, the best of a few runs of each by
 * itself.
 *
 * Usage: shares [--malloc] BITS...  Medians in milliseconds, of operands and result in the pool or
 * in malloc's memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/memory/pool.h"
#include "lib/operate/operate.h"
#include "lib/operate/shares/product_shares.h"
#include "lib/operate/shares/product_steps.h"
#include "lib/process/crew.h"
#include "lib/process/executor.h"
#include "lib/session/session.h"
#include "tests/performance/shares_pieces.h"
#include "tests/support/twin_impl.h"

enum { DEVICES = 2, STEPS = 4, ROUNDS = 7, HAND_OVERS = 20 };

static struct gpu_backend backend;
const struct gpu_backend *const gpu_backends[] = {&backend, NULL};

static void need(bool good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "shares: %s\n", what);
    exit(1);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *of, unsigned count) {
    double sorted[ROUNDS];
    memcpy(sorted, of, count * sizeof *of);
    qsort(sorted, count, sizeof *sorted, ascending);
    return sorted[count / 2];
}

/* ---- copies, inside the GPU; timed where nothing else is */

static struct {
    bool are_timed;
    double seconds;
    size_t bytes;
} copies;

static enum gpu_status copy(gpu_queue_impl *q, gpu_mem dst, size_t offset, gpu_device_impl *from,
                            gpu_mem src, size_t src_offset, size_t bytes) {
    const struct gpu_queue queue = {.backend = twin_real(), .impl = twin_queue(q)->real};
    if (copies.are_timed)
        gpu_finish(&queue);
    double begin = stats_clock();
    enum gpu_status status = queue.backend->peer_copy(
        queue.impl, dst, offset, twin_device(from)->real, src, src_offset, bytes);
    if (copies.are_timed && status == GPU_OK) {
        status = gpu_finish(&queue);
        copies.seconds += stats_clock() - begin;
        copies.bytes += bytes;
    }
    return status;
}

/* ---- steps, one device after the other */

static bool in_turn;
static unsigned step, turn;
static double taken[STEPS][DEVICES][ROUNDS + 1]; /* the last one is not counted */

/* The GPU turns to this device, before the clock runs. */
static enum gpu_status turn_to(struct context *s, void *unused) {
    gpu_mem mem;
    (void)unused;
    enum gpu_status status = context_buffer(s, SLOT_PART, 64, &mem);
    if (status == GPU_OK)
        status = gpu_zero(&s->queue, mem, 0, 64);
    return status == GPU_OK ? gpu_finish(&s->queue) : status;
}

static void prepare(int device) {
    char none = 0;
    int bound = session_bind(device);
    need(session_run(turn_to, &none, sizeof none, 1) == OUTCOME_DONE, "a device is not there");
    session_bind(bound);
}

bool __real_crew_try(unsigned count, void (*work)(void *job, unsigned i), void *job);
bool __wrap_crew_try(unsigned count, void (*work)(void *job, unsigned i), void *job);

bool __wrap_crew_try(unsigned count, void (*work)(void *job, unsigned i), void *job) {
    if (!in_turn)
        return __real_crew_try(count, work, job);
    for (unsigned i = 0; i < count && step < STEPS; i++) {
        prepare((int)i);
        double begin = stats_clock();
        work(job, i);
        taken[step][i][turn] = stats_clock() - begin;
    }
    step++;
    return true;
}

/* ---- what threads take that wait for two devices */

static enum gpu_status last(struct context *s, void *seconds) {
    double end = stats_clock() + *(double *)seconds;
    (void)s;
    while (stats_clock() < end)
        continue;
    return GPU_OK;
}

static void run_last(void *seconds, unsigned i) {
    double copy_of = *(double *)seconds;
    int bound = session_bind((int)i);
    unsigned times = executor_spin_times(PRODUCT_SPIN_TIMES);
    session_run(last, &copy_of, sizeof copy_of, 1);
    executor_spin_times(times);
    session_bind(bound);
}

static double hand_over(double seconds) {
    double begin = stats_clock();
    for (int i = 0; i < HAND_OVERS; i++)
        __real_crew_try(DEVICES, run_last, &seconds);
    return (stats_clock() - begin) / HAND_OVERS - seconds;
}

/* ---- products */

struct numbers {
    mp_limb_t *up, *vp, *rp, *right;
    size_t n;
};

static void share(const struct numbers *x) {
    int device;
    step = 0;
    need(product_in_shares(x->rp, x->up, x->n, x->vp, x->n, &device) == OUTCOME_DONE, "not shared");
}

static double alone(const struct numbers *x) {
    double seconds[ROUNDS];
    int bound = session_bind(0);
    for (unsigned i = 0; i <= ROUNDS; i++) {
        double begin = stats_clock();
        need(operate_mul(x->right, x->up, x->n, x->vp, x->n) == OUTCOME_DONE, "not done");
        seconds[i % ROUNDS] = stats_clock() - begin;
    }
    session_bind(bound);
    return median(seconds, ROUNDS);
}

static double at_once(const struct numbers *x) {
    double seconds[ROUNDS];
    in_turn = false;
    for (unsigned i = 0; i <= ROUNDS; i++) {
        double begin = stats_clock();
        share(x);
        seconds[i % ROUNDS] = stats_clock() - begin;
    }
    return median(seconds, ROUNDS);
}

/* The last round times the copies, which disturbs it. */
static void take_turns(const struct numbers *x) {
    in_turn = true;
    copies.seconds = 0;
    copies.bytes = 0;
    for (turn = 0; turn <= ROUNDS; turn++) {
        copies.are_timed = turn == ROUNDS;
        share(x);
    }
    copies.are_timed = in_turn = false;
}

static void report(const struct numbers *x, double one, double both) {
    double sum = 0, between = 0;
    printf("%zu bits: one device %.3f, two at once on one GPU %.3f\n", x->n * 64, 1e3 * one,
           1e3 * both);
    for (unsigned i = 0; i < step; i++) {
        double first = median(taken[i][0], ROUNDS), second = median(taken[i][1], ROUNDS),
               slower = first > second ? first : second, lost = hand_over(slower);
        printf("  step %u: %8.3f %8.3f, handed over in %.3f\n", i + 1, 1e3 * first, 1e3 * second,
               1e3 * lost);
        sum += slower;
        between += lost;
    }
    printf("  copies %.3f (%zu bytes, both devices)\n", 1e3 * copies.seconds, copies.bytes);
    printf("  steps %.3f, with hand-overs %.3f: %.2f of one device's time%s\n", 1e3 * sum,
           1e3 * (sum + between), (sum + between) / one,
           memcmp(x->rp, x->right, 2 * x->n * sizeof *x->rp) ? "  WRONG" : "");
    fflush(stdout);
}

static void fill(mp_limb_t *xp, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++)
        xp[i] = seed = seed * 6364136223846793005u + 1442695040888963407u;
}

static void measure(size_t n, bool is_pool) {
    void *(*take)(size_t) = is_pool ? pool_alloc : malloc;
    void (*leave)(void *) = is_pool ? pool_free : free;
    size_t bytes = n * sizeof(mp_limb_t);
    struct numbers x = {take(bytes), take(bytes), take(2 * bytes), take(2 * bytes), n};
    need(x.up && x.vp && x.rp && x.right, "no memory");
    fill(x.up, n, 1);
    fill(x.vp, n, 2);
    double one = alone(&x), both = at_once(&x);
    take_turns(&x);
    report(&x, one, both);
    shares_pieces(x.rp, x.up, n);
    leave(x.up);
    leave(x.vp);
    leave(x.rp);
    leave(x.right);
}

static void begin(void) {
    char text[512];
    need(twin_real(), "no device");
    backend = twin_backend;
    backend.locks_for_all = twin_real()->locks_for_all;
    backend.peer_copy = twin_real()->peer_copy ? copy : NULL;
    setenv("MPGPU_CONF", "open:wait,watchdog:0,dispatch:fixed,device:0+1,shared:1", 0);
    session_init();
    session_open_any();
    need(session_wait() == OUTCOME_DONE, "no device is open");
    session_describe(text, sizeof text);
    printf("%s\n", text);
}

int main(int argc, char **argv) {
    bool is_pool = argc < 2 || strcmp(argv[1], "--malloc");
    if (argc < 2 + !is_pool) {
        fprintf(stderr, "usage: shares [--malloc] BITS...\n");
        return 2;
    }
    begin();
    for (int i = 1 + !is_pool; i < argc; i++)
        measure((size_t)(strtod(argv[i], NULL) / 64), is_pool);
    return 0;
}
