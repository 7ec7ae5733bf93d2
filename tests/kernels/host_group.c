/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs work-groups on the host. Work-items run one after another, each until it waits or ends;
 * then all work-items that can continue run again. The order alternates between ascending and
 * descending, so that a missing barrier gives a wrong result in one of the two orders. */
#include "config.h"

#include "tests/kernels/host_group.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/kernels/host_memory.h"
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

/* The state of a work-item: running, waiting for an exchange or a barrier, or ended. */
enum state { RUNS, AT_EXCHANGE, AT_BARRIER, AT_BARRIER_CLUSTER, ENDED };

struct item {
    void *place[5]; /* for __builtin_longjmp */
    char *stack;
    int has_begun;
    enum state state;
    unsigned gives; /* how many words of `given` this work-item exchanges */
    uint32_t given[HOST_MOST_GIVEN];
};

struct group {
    struct item *items;
    /* The words that each row of work-items exchanged last. They are copied when all work-items of
     * the row have arrived at the exchange. */
    uint32_t given[HOST_MOST_ITEMS / HOST_ROW][HOST_MOST_GIVEN][HOST_ROW];
    const void *key[HOST_MOST_LOCALS];
    void *local[HOST_MOST_LOCALS];
    unsigned locals;
};

static struct group groups[HOST_MOST_CLUSTER];
static void *scheduler[5];
struct host_now host_now;

/* ---- switching between the stacks of work-items and the scheduler */

#if defined(__SANITIZE_ADDRESS__)
static const void *scheduler_stack;
static size_t scheduler_bytes;
#define LEAVE_TO(keep, stack, bytes) __sanitizer_start_switch_fiber(keep, stack, bytes)
#define ARRIVED(kept, stack, bytes) __sanitizer_finish_switch_fiber(kept, stack, bytes)
#else
#define LEAVE_TO(keep, stack, bytes) ((void)(keep))
#define ARRIVED(kept, stack, bytes) ((void)(kept))
#endif

static struct item *current(void) {
    return &groups[host_now.place].items[host_now.item];
}

/* Marks functions that switch between stacks.  ASan must not instrument these functions, because
 * it would treat the old stack's variables as dead.  Only `begin` makes system calls. */
#define UNSEEN __attribute__((noipa, no_sanitize("address"))) static

UNSEEN void jump(void **place) {
    __builtin_longjmp(place, 1);
}

UNSEEN void wait_for(enum state state) {
    void *kept = NULL;
    current()->state = state;
    LEAVE_TO(&kept, scheduler_stack, scheduler_bytes);
    if (__builtin_setjmp(current()->place) == 0)
        jump(scheduler);
    ARRIVED(kept, &scheduler_stack, &scheduler_bytes);
}

/* Entry function of a work-item's stack: calls the kernel once for each group that this
 * work-item belongs to. */
static void live(void) {
    ARRIVED(NULL, &scheduler_stack, &scheduler_bytes);
    for (;;) {
        host_now.launch->kernel->call(host_now.launch->args);
        wait_for(ENDED);
    }
}

UNSEEN void begin(struct item *item) {
    static ucontext_t first;
    item->has_begun = 1;
    getcontext(&first);
    first.uc_stack.ss_sp = item->stack;
    first.uc_stack.ss_size = HOST_STACK_BYTES;
    makecontext(&first, live, 0);
    setcontext(&first);
}

/* Runs a work-item from the scheduler until it waits or ends. */
UNSEEN void resume(unsigned place, unsigned i, unsigned group) {
    void *kept = NULL;
    host_now.place = place;
    host_now.group = group;
    host_now.item = i;
    memory_resume();
    LEAVE_TO(&kept, current()->stack, HOST_STACK_BYTES);
    if (__builtin_setjmp(scheduler) == 0)
        current()->has_begun ? jump(current()->place) : begin(current());
    ARRIVED(kept, NULL, NULL);
}

static char *make_stack(void) {
    char *stack = mmap(NULL, HOST_STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
        host_fault(NULL, "no stack for a work-item");
    return stack;
}

static void make_items(struct group *g, unsigned count) {
    if (!g->items)
        g->items = calloc(HOST_MOST_ITEMS, sizeof *g->items);
    for (unsigned i = 0; i < count; i++)
        if (!g->items[i].stack)
            g->items[i].stack = make_stack();
}

/* ---- waits */

static int all_are(const struct item *items, unsigned count, enum state state) {
    for (unsigned i = 0; i < count; i++)
        if (items[i].state != state)
            return 0;
    return 1;
}

static void let_run(struct item *items, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        items[i].state = RUNS;
}

/* Copies the words that `count` work-items exchange to `given`. The work-items are a full row,
 * or the group's last, shorter row. */
static void take_given(uint32_t (*given)[HOST_ROW], const struct item *items, unsigned count) {
    for (unsigned i = 0; i < HOST_ROW; i++) {
        if (i < count && items[i].gives != items[0].gives)
            host_fault(NULL, "work-items of a row exchange %u words and %u", items[0].gives,
                       items[i].gives);
        for (unsigned k = 0; k < items[0].gives; k++)
            given[k][i] = i < count ? items[i].given[k] : 0;
    }
}

/* Completes the exchange of every row whose work-items have all arrived at it. Returns true if
 * there was such a row. */
static int exchange(unsigned place, unsigned threads) {
    struct group *g = &groups[place];
    int done = 0;
    for (unsigned row = 0; row < threads; row += HOST_ROW) {
        unsigned count = threads - row < HOST_ROW ? threads - row : HOST_ROW;
        if (!all_are(g->items + row, count, AT_EXCHANGE))
            continue;
        take_given(g->given[row / HOST_ROW], g->items + row, count);
        memory_exchange(place, row / HOST_ROW);
        let_run(g->items + row, count);
        done = 1;
    }
    return done;
}

static int pass_barrier_cluster(unsigned count, unsigned threads) {
    for (unsigned k = 0; k < count; k++)
        if (!all_are(groups[k].items, threads, AT_BARRIER_CLUSTER))
            return 0;
    for (unsigned k = 0; k < count; k++)
        let_run(groups[k].items, threads);
    memory_cluster();
    return 1;
}

/* Wakes work-items that may continue after an exchange or barrier. Returns true if there are
 * any. */
static int let_go_on(unsigned count, unsigned threads) {
    int some = pass_barrier_cluster(count, threads);
    for (unsigned k = 0; k < count; k++) {
        struct item *items = groups[k].items;
        some |= exchange(k, threads);
        if (all_are(items, threads, AT_BARRIER)) {
            memory_barrier(k);
            let_run(items, threads);
            some = 1;
        }
    }
    return some;
}

/* ---- launches */

/* Runs all work-items that are not waiting, in descending order if `downward`, otherwise in
 * ascending order. */
static void run_all(unsigned first, unsigned count, unsigned threads, int downward) {
    for (unsigned k = 0; k < count; k++)
        for (unsigned i = 0; i < threads; i++) {
            unsigned item = downward ? threads - 1 - i : i;
            if (groups[k].items[item].state == RUNS)
                resume(k, item, first + k);
        }
}

static int have_ended(unsigned count, unsigned threads) {
    for (unsigned k = 0; k < count; k++)
        if (!all_are(groups[k].items, threads, ENDED))
            return 0;
    return 1;
}

/* Runs `count` work-groups at the same time, beginning with number `first`. */
static void run_groups(unsigned first, unsigned count, unsigned threads) {
    int downward = (int)(first & 1);
    for (unsigned k = 0; k < count; k++) {
        make_items(&groups[k], threads);
        let_run(groups[k].items, threads);
        groups[k].locals = 0;
        memory_begin(k);
    }
    do {
        run_all(first, count, threads, downward);
        downward = !downward;
    } while (let_go_on(count, threads));
    if (!have_ended(count, threads))
        host_fault(NULL, "work-items wait where not all others come");
    for (unsigned k = 0; k < count; k++)
        memory_end(k);
}

/* Ends the process for a launch that OpenCL would reject, or that CUDA would run with wrong
 * results. */
static void check_launch(const struct host_launch *l) {
    if (l->threads != l->kernel->threads || l->nargs != l->kernel->nargs)
        host_fault(NULL, "%u work-items and %u arguments", l->threads, l->nargs);
    if (l->groups_x == 0 || l->groups_y == 0)
        host_fault(NULL, "no groups");
    if (l->kernel->cluster && l->groups_x != l->kernel->cluster)
        host_fault(NULL, "not the groups that run together");
}

void host_launch(const struct host_launch *launch) {
    unsigned all = launch->groups_x * launch->groups_y;
    unsigned at_once = launch->kernel->cluster ? launch->groups_x : 1;
    host_now.launch = launch;
    check_launch(launch);
    memory_launch(launch);
    for (unsigned first = 0; first < all; first += at_once)
        run_groups(first, at_once, launch->threads);
    host_now.launch = NULL;
}

/* ---- functions that kernels call */

uint32_t host_item(void) {
    return host_now.item;
}

uint32_t host_group_x(void) {
    return host_now.group % host_now.launch->groups_x;
}

uint32_t host_group_y(void) {
    return host_now.group / host_now.launch->groups_x;
}

uint32_t host_groups_x(void) {
    return host_now.launch->groups_x;
}

void host_barrier(void) {
    wait_for(AT_BARRIER);
}

void host_barrier_cluster(void) {
    wait_for(AT_BARRIER_CLUSTER);
}

const uint32_t (*host_exchange_words(const uint32_t *x, unsigned count))[HOST_ROW] {
    struct item *item = current();
    item->gives = count;
    memcpy(item->given, x, count * sizeof *x);
    wait_for(AT_EXCHANGE);
    return (const uint32_t(*)[HOST_ROW])groups[host_now.place].given[host_now.item / HOST_ROW];
}

const uint32_t *host_exchange(uint32_t x) {
    return *host_exchange_words(&x, 1);
}

uint32_t host_ballot(uint32_t x) {
    const uint32_t *given = host_exchange(x);
    uint32_t votes = 0;
    for (unsigned i = 0; i < 32; i++)
        votes |= (uint32_t)(given[i] != 0) << i;
    return votes;
}

uint32_t host_add(uint32_t *pointer, uint32_t x) {
    const uint32_t before = *pointer;
    memory_increment(pointer);
    *pointer += x;
    return before;
}

void *host_local(const void *key, size_t bytes) {
    struct group *g = &groups[host_now.place];
    unsigned i = 0;
    while (i < g->locals && g->key[i] != key)
        i++;
    if (i == HOST_MOST_LOCALS)
        host_fault(NULL, "more than %d local arrays", HOST_MOST_LOCALS);
    if (i == g->locals) {
        g->key[i] = key;
        g->local[i] = memory_local(host_now.place, i, bytes);
        g->locals++;
    }
    return g->local[i];
}

static void expect(const struct gpu_arg *arg, int kind) {
    if ((int)arg->kind != kind)
        host_fault(NULL, "argument %d is of another kind", (int)(arg - host_now.launch->args));
}

void *host_memory(const struct gpu_arg *arg) {
    expect(arg, GPU_ARG_MEM);
    return (void *)(uintptr_t)arg->v.mem.h;
}

uint32_t host_u32(const struct gpu_arg *arg) {
    expect(arg, GPU_ARG_U32);
    return arg->v.u32;
}

uint64_t host_u64(const struct gpu_arg *arg) {
    expect(arg, GPU_ARG_U64);
    return arg->v.u64;
}

/* ---- faults */

/* Prints the source line of address `pc`, if binutils' addr2line is installed. */
static void print_place(const void *pc) {
    char command[100];
    snprintf(command, sizeof command, "addr2line -fpi -e /proc/%d/exe %p 1>&2", (int)getpid(),
             (const void *)((const char *)pc - 1));
    if (system(command) != 0)
        fprintf(stderr, "%s failed\n", command);
}

void host_fault(const void *pc, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "host kernel: ");
    vfprintf(stderr, format, args);
    va_end(args);
    if (host_now.launch)
        fprintf(stderr, ": kernel %s of program %s, %u by %u groups, group %u, work-item %u",
                host_now.launch->kernel->name, host_now.launch->program, host_now.launch->groups_x,
                host_now.launch->groups_y, host_now.group, host_now.item);
    fprintf(stderr, "\n");
    if (pc)
        print_place(pc);
    abort();
}
