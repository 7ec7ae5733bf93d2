/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Times the steps of products that two devices share, one by one on one device: the steps of the
 * first of two shards (lib/operate/shares/), and the last step of a product from its two halves
 * (lib/multiply/halves.h).  The latter is compared with a copy of a half and with the difference,
 * shift and sum that it replaces.
 * Prints a line for each step: the best of a few runs in milliseconds.
 * Usage: steps BITS...: the bits of operands, and of a half. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/common/carry.h"
#include "lib/base/ceil_div.h"
#include "lib/base/conf.h"
#include "lib/base/stats.h"
#include "lib/device/launch.h"
#include "lib/memory/pool.h"
#include "lib/multiply/check.h"
#include "lib/multiply/halves.h"
#include "lib/multiply/product.h"
#include "lib/multiply/redundant.h"
#include "lib/selftest/verified_plan.h"
#include "lib/session/session.h"
#include "lib/transfer/transfer.h"

enum { RUNS = 5, MANY = 20 };

/* The numbers of all steps, on the device but for `host`, of 2 * a.words words. */
struct numbers {
    struct number a, b, r; /* r is twice as long */
    uint32_t *host;
    struct product plan; /* of `half` times b */
};

static struct number half(const struct numbers *x) {
    return number_part(x->a, 0, x->a.words / 2);
}

static struct number product(const struct numbers *x) {
    return number_part(x->r, 0, x->a.words + x->a.words / 2);
}

/* ---- steps */

static enum gpu_status upload(struct context *s, struct numbers *x) {
    return transfer_up(s->transfer, &s->queue, x->a.mem, 0, x->host,
                       half(x).words * sizeof *x->host);
}

static enum gpu_status multiply(struct context *s, struct numbers *x) {
    return product_mul(s, &x->plan, product(x), x->b, half(x));
}

static enum gpu_status check(struct context *s, struct numbers *x) {
    struct check unused;
    return check_start(&unused, s, product(x), half(x), x->b);
}

static enum gpu_status add(struct context *s, struct numbers *x) {
    struct number other = number_part(x->a, x->a.words / 2, x->a.words / 2);
    struct number to = number_part(x->r, x->a.words / 2, x->a.words);
    return number_add(s, to, to, other, 0, NULL);
}

static enum gpu_status residue(struct context *s, struct numbers *x) {
    struct check unused;
    return check_start_one(&unused, s, number_part(x->r, 0, x->a.words), 0);
}

static enum gpu_status download(struct context *s, struct numbers *x) {
    return transfer_down(s->transfer, &s->queue, x->host, x->r.mem, 0,
                         x->a.words * sizeof *x->host);
}

static enum gpu_status join(struct context *s, struct numbers *x) {
    return halves_make(s, x->r, x->a, x->b);
}

static enum gpu_status copy(struct context *s, struct numbers *x) {
    return redundant_copy(s, number_part(x->r, 0, x->a.words), x->a);
}

/* low = a - b, high = half of it, low = high + b. */
static enum gpu_status join_by_three(struct context *s, struct numbers *x) {
    struct number low = number_part(x->r, 0, x->a.words);
    struct number high = number_part(x->r, x->a.words, x->a.words);
    enum gpu_status status = number_add(s, low, x->a, x->b, 1, NULL);
    if (status == GPU_OK)
        status = launch_window(s, launch_row(ceil_div(high.words, CARRY_THREADS)), high.mem,
                               high.at, high.words, low.mem, low.at, low.words, 0, 1, 0);
    return status == GPU_OK ? number_add(s, low, high, x->b, 0, NULL) : status;
}

static const struct step {
    const char *name;
    enum gpu_status (*run)(struct context *s, struct numbers *x);
    int times; /* a run's launches, one behind the other */
} steps[] = {{"half of an operand up", upload, 1},
             {"product by that half", multiply, 1},
             {"its check", check, 1},
             {"sum", add, 1},
             {"residue", residue, 1},
             {"half of the result down", download, 1},
             {"two halves joined", join, MANY},
             {"a half copied", copy, MANY},
             {"difference, shift, sum", join_by_three, MANY}};

/* ---- measuring */

struct job {
    const struct step *step;
    uint64_t words;
    uint32_t *host;
    double best; /* seconds */
};

static enum gpu_status prepare(struct context *s, struct numbers *x, uint64_t words) {
    size_t bytes = words * sizeof *x->host;
    enum gpu_status status = number_in_slot(s, SLOT_U, words, &x->a);
    if (status == GPU_OK)
        status = number_in_slot(s, SLOT_V, words, &x->b);
    if (status == GPU_OK)
        status = number_in_slot(s, SLOT_SHARE, 2 * words, &x->r);
    if (status == GPU_OK)
        status = verified_plan_product(s, &x->plan, words, words / 2, WITHOUT(ALGORITHM_FFT));
    if (status == GPU_OK)
        status = transfer_up(s->transfer, &s->queue, x->a.mem, 0, x->host, bytes);
    if (status == GPU_OK)
        status = transfer_up(s->transfer, &s->queue, x->b.mem, 0, x->host + words, bytes);
    return status;
}

static enum gpu_status work(struct context *s, void *argument) {
    struct job *job = argument;
    struct numbers x = {.host = job->host};
    enum gpu_status status = prepare(s, &x, job->words);
    for (int run = -1; run < RUNS && status == GPU_OK; run++) { /* the first builds */
        status = gpu_finish(&s->queue);
        double begin = stats_clock();
        for (int i = 0; i < job->step->times && status == GPU_OK; i++)
            status = job->step->run(s, &x);
        if (status == GPU_OK)
            status = gpu_finish(&s->queue);
        double seconds = (stats_clock() - begin) / job->step->times;
        job->best = run <= 0 || seconds < job->best ? seconds : job->best;
    }
    return status;
}

/* Random words: half of the chunks get a carry. */
static void fill(uint32_t *host, uint64_t words) {
    uint64_t seed = 1;
    for (uint64_t i = 0; i < words; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        host[i] = (uint32_t)(seed >> 32);
    }
}

static void measure(uint64_t words) {
    uint32_t *host = pool_alloc(2 * words * sizeof *host);
    printf("%llu bits\n", (unsigned long long)(32 * words));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct job job = {.step = &steps[i], .words = words, .host = host};
        if (host)
            fill(host, 2 * words);
        if (!host || session_run(work, &job, sizeof job, SIZE_MAX / 2) != OUTCOME_DONE) {
            fprintf(stderr, "steps: not done: %s\n", steps[i].name);
            exit(1);
        }
        printf("  %-24s %10.4f\n", steps[i].name, 1e3 * job.best);
    }
    pool_free(host);
}

int main(int argc, char **argv) {
    char text[512];
    if (argc < 2) {
        fprintf(stderr, "usage: steps BITS...\n");
        return 2;
    }
    setenv("MPGPU_CONF", "open:wait", 0);
    session_init();
    session_open_any();
    session_wait();
    session_describe(text, sizeof text);
    printf("%s\n", text);
    for (int i = 1; i < argc; i++)
        measure(ceil_div((uint64_t)strtod(argv[i], NULL), 32 * CARRY_CHUNK) * CARRY_CHUNK);
    return 0;
}
