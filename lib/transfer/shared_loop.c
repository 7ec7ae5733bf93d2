/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A loop that several threads share: they take parts of it until none is left. */
#include "config.h"

#include "lib/transfer/shared_loop.h"

#include <stdatomic.h>

#include "lib/base/ceil_div.h"
#include "lib/base/min.h"
#include "lib/memory/touch.h"
#include "lib/process/signal_guard.h"
#include "lib/process/surroundings.h"
#include "lib/transfer/copier.h"

/* What takes one thread less time than others to start; and bytes of a part. */
enum { LEAST_BYTES = 1 << 20, PART_BYTES = 1 << 18 };

/* Of a round: 32 MB, which take some milliseconds. */
enum { ROUND_PARTS = 128 };

struct loop {
    size_t count, part; /* the end of this round, and the size of a part */
    void (*work)(void *context, size_t first, size_t end);
    void *context;
    atomic_size_t next;
};

static void take_parts(void *job) {
    struct loop *l = job;
    size_t first;
    while ((first = atomic_fetch_add(&l->next, l->part)) < l->count)
        l->work(l->context, first, min_u64(first + l->part, l->count));
}

/* Parts up to `end`. */
static void share_round(struct loop *l) {
    struct signal_guard guard;
    signal_guard_begin(&guard);
    struct copier *c = copier_open(false, 0);
    if (c) {
        copier_begin(c, take_parts, l);
        take_parts(l);
        copier_end(c);
        copier_close(c);
    } else {
        take_parts(l);
    }
    signal_guard_end(&guard);
}

/* In rounds, between which handlers of the program's signals run. */
static void share(struct loop *l, size_t count) {
    size_t round = l->part * ROUND_PARTS;
    for (size_t begin = 0; begin < count; begin = l->count) {
        l->count = min_u64(begin + round, count);
        atomic_store(&l->next, begin);
        share_round(l);
    }
}

void shared_loop(size_t count, size_t bytes, void (*work)(void *context, size_t first, size_t end),
                 void *context) {
    struct loop l = {.work = work, .context = context};
    l.part = ceil_div(count, ceil_div(bytes, PART_BYTES) + 1);
    if (bytes < LEAST_BYTES || touch_is_handled() || surroundings_forbid_threads())
        work(context, 0, count);
    else
        share(&l, count);
}
