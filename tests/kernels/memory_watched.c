/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory of the emulated device, checked word by word.  gcc's -fsanitize=thread makes the kernels
 * report each access (__tsan_read4 and so on).  This file replaces its runtime and checks:
 *
 *  - bounds: an access is to a buffer that is an argument of the launch, a local array of the
 *    group, the work-item's own stack or the program's constants;
 *  - no word is read before it was written;
 *  - races: two work-items access a word and one of them writes.  Between the accesses, two
 *    work-items of a row must pass an exchange or a barrier, and two work-items of a group a
 *    barrier.  Two groups must pass a barrier of all groups, or both increment a word atomically.
 *
 * In a buffer that a kernel has accessed by 16 bits, each half of a word is checked separately.
 *
 * Accesses are ordered by stamps, which count time: a row of work-items gets a new stamp at each
 * barrier and each exchange. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/kernels/host_memory.h"

enum { SLOTS = 96, LOG_SLOT = 29, LOG_LOCAL = 20 };
#define SLOT_BYTES ((size_t)1 << LOG_SLOT)
#define LOCAL_STRIDE ((size_t)1 << LOG_LOCAL)
#define LOCALS (HOST_MOST_CLUSTER * HOST_MOST_LOCALS)
#define GLOBAL_BYTES (SLOTS * SLOT_BYTES)
#define ALL_BYTES (GLOBAL_BYTES + LOCALS * LOCAL_STRIDE)

/* Which work-item wrote a word last, and which has read it, stored as group << ITEM_BITS | item.
 * If several work-items have read the word, a special number replaces the item: SEVERAL_OF_ROW + r
 * for work-items of row r, otherwise SEVERAL_ITEMS. If the readers are of several groups,
 * SEVERAL_GROUPS replaces the group. */
enum { ITEM_BITS = 11, ROW = 32, SEVERAL_OF_ROW = HOST_MOST_ITEMS };
_Static_assert(SEVERAL_OF_ROW + HOST_MOST_ITEMS / ROW < (1 << ITEM_BITS) - 1, "a place for each");
#define SEVERAL_ITEMS ((1u << ITEM_BITS) - 1)
#define SEVERAL_GROUPS (~0u >> ITEM_BITS)
struct shadow {
    uint32_t write_stamp, write_who, read_stamp, read_who; /* stamp 0: nobody */
};

static char *memory;
/* A shadow records the latest accesses to a word.  In a buffer whose is_halved is set, each half
 * of a word has its own shadow: the lower half in `shadows`, the upper half in `uppers`. */
static struct shadow *shadows, *uppers;

/* Device buffers and local arrays. Each buffer is at the beginning of a slot of address space,
 * which is at least twice as long, so no buffer follows directly behind. */
static struct {
    size_t bytes;
    int is_taken, of_host, is_halved;
} slots[SLOTS];
static size_t local_bytes[LOCALS];

/* Time is counted in stamps. clock_now is the current stamp; all_met is the stamp of the
 * launch's begin, or of the last barrier of all groups. */
static uint32_t clock_now, all_met;
/* The running groups. */
static struct {
    uint32_t begun, now;
    uint32_t row_now[HOST_MOST_ITEMS / ROW]; /* time stamp of each row's last exchange */
    int has_incremented;
} runs[HOST_MOST_CLUSTER];
/* The running work-item's data, in one place because every access reads them. */
static struct {
    /* who: the work-item and its group; row: the work-item's row. The other numbers are times, as
     * stamps. now: the last barrier of its group; stretch: the last exchange of its row, or now if
     * later; begun: the begin of its group. */
    uint32_t who, row, now, stretch, begun;
    const char *locals; /* where the group's local arrays begin */
    const size_t *local_bytes;
} here;
/* argument_bytes[i]: the size of the buffer in slot i if it is an argument of this launch;
 * otherwise 0 */
static size_t argument_bytes[SLOTS];
/* For each group of the launch: the time stamp of its last atomic increment, or 0. */
static uint32_t *incremented;
static size_t incremented_room;

static void reserve(void) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (memory)
        return;
    memory = mmap(NULL, ALL_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);
    shadows = mmap(NULL, ALL_BYTES / 4 * sizeof *shadows, PROT_READ | PROT_WRITE, flags, -1, 0);
    uppers = mmap(NULL, GLOBAL_BYTES / 4 * sizeof *uppers, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (memory == MAP_FAILED || (void *)shadows == MAP_FAILED || (void *)uppers == MAP_FAILED)
        host_fault(NULL, "no address space");
}

/* ---- buffers */

static struct shadow *shadow_of(const void *at) {
    return &shadows[(size_t)((const char *)at - memory) / 4];
}

static struct shadow *upper_of(const void *at) {
    return uppers + (shadow_of(at) - shadows);
}

static int slot_of(const void *at) {
    return (int)((size_t)((const char *)at - memory) >> LOG_SLOT);
}

void *memory_new(size_t bytes, int of_host) {
    int i = 0;
    reserve();
    while (i < SLOTS && slots[i].is_taken)
        i++;
    if (i == SLOTS || bytes > SLOT_BYTES / 2)
        return NULL;
    slots[i].is_taken = 1;
    slots[i].bytes = bytes;
    slots[i].of_host = of_host;
    slots[i].is_halved = 0;
    return memory + (size_t)i * SLOT_BYTES;
}

void memory_give(void *buffer) {
    int i = slot_of(buffer);
    slots[i].is_taken = 0;
    madvise(buffer, slots[i].bytes, MADV_DONTNEED);
    madvise(shadow_of(buffer), slots[i].bytes / 4 * sizeof(struct shadow), MADV_DONTNEED);
    madvise(upper_of(buffer), slots[i].bytes / 4 * sizeof(struct shadow), MADV_DONTNEED);
}

/* Returns true if {at, bytes} is inside a buffer. */
static int is_inside(const void *at, size_t bytes) {
    int i = slot_of(at);
    size_t offset = (size_t)((const char *)at - memory) & (SLOT_BYTES - 1);
    return i < SLOTS && slots[i].is_taken && offset + bytes <= slots[i].bytes;
}

static void check_copy(const void *at, size_t bytes) {
    if (!is_inside(at, bytes))
        host_fault(NULL, "a copy of %zu bytes goes beyond its buffer", bytes);
}

void memory_filled(const void *at, size_t bytes) {
    struct shadow *first = shadow_of(at);
    check_copy(at, bytes);
    if (slots[slot_of(at)].of_host)
        return;
    for (size_t i = 0; i < (bytes + 3) / 4; i++)
        first[i] = (struct shadow){.write_stamp = 1};
    if (slots[slot_of(at)].is_halved)
        memcpy(upper_of(at), first, (bytes + 3) / 4 * sizeof *first);
}

void memory_fetched(const void *at, size_t bytes) {
    check_copy(at, bytes);
}

/* ---- events of a launch */

void memory_launch(const struct host_launch *launch) {
    size_t groups = (size_t)launch->groups_x * launch->groups_y;
    if (groups > incremented_room) {
        free(incremented);
        incremented = malloc(groups * sizeof *incremented);
        incremented_room = groups;
    }
    memset(incremented, 0, groups * sizeof *incremented);
    memset(argument_bytes, 0, sizeof argument_bytes);
    for (unsigned i = 0; i < launch->nargs; i++) {
        const void *buffer = (const void *)(uintptr_t)launch->args[i].v.mem.h;
        if (launch->args[i].kind == GPU_ARG_MEM && buffer)
            argument_bytes[slot_of(buffer)] =
                slots[slot_of(buffer)].is_taken ? slots[slot_of(buffer)].bytes : 0;
    }
    clock_now = clock_now ? clock_now : 1; /* time stamp 1 is for writes by the host */
    all_met = ++clock_now;
}

void memory_begin(unsigned place) {
    runs[place].begun = runs[place].now = ++clock_now;
    runs[place].has_incremented = 0;
}

void memory_barrier(unsigned place) {
    runs[place].now = ++clock_now;
}

void memory_exchange(unsigned place, unsigned row) {
    runs[place].row_now[row] = ++clock_now;
}

void memory_cluster(void) {
    all_met = ++clock_now;
    for (int i = 0; i < HOST_MOST_CLUSTER; i++)
        runs[i].now = ++clock_now;
}

void *memory_local(unsigned place, unsigned index, size_t bytes) {
    size_t i = place * HOST_MOST_LOCALS + index;
    if (bytes > LOCAL_STRIDE / 2)
        host_fault(NULL, "a local array of %zu bytes", bytes);
    local_bytes[i] = bytes;
    return memory + GLOBAL_BYTES + i * LOCAL_STRIDE;
}

void memory_end(unsigned place) {
    memset(&local_bytes[place * HOST_MOST_LOCALS], 0, HOST_MOST_LOCALS * sizeof *local_bytes);
}

/* ---- checks of single accesses: inlined, because there are very many of them */

#define ALWAYS inline __attribute__((always_inline))
#define SHARED __attribute__((noinline)) void

static unsigned row_of(uint32_t who) {
    unsigned item = who & SEVERAL_ITEMS;
    return item < SEVERAL_OF_ROW ? item / ROW : item - SEVERAL_OF_ROW;
}

void memory_resume(void) {
    const unsigned place = host_now.place;
    here.who = host_now.group << ITEM_BITS | host_now.item;
    here.row = row_of(here.who);
    here.now = runs[place].now;
    here.stretch = runs[place].row_now[here.row];
    here.stretch = here.stretch > here.now ? here.stretch : here.now;
    here.begun = runs[place].begun;
    here.locals = memory + GLOBAL_BYTES + place * HOST_MOST_LOCALS * LOCAL_STRIDE;
    here.local_bytes = local_bytes + (size_t)place * HOST_MOST_LOCALS;
}

/* Returns true if an earlier access may be concurrent with the running one. `stamp` is the
 * earlier access's time, `who` its work-item and group.
 */
static ALWAYS int is_at_once(uint32_t stamp, uint32_t who) {
    uint32_t group = who >> ITEM_BITS;
    if (stamp <= all_met || who == here.who)
        return 0;
    if (group == host_now.group)
        return stamp >= here.now && (stamp >= here.stretch || row_of(who) != here.row);
    if (!runs[host_now.place].has_incremented)
        return 1;
    return group == SEVERAL_GROUPS || stamp >= incremented[group];
}

/* Returns the new value of x->read_who, when this work-item reads a word that others of its
 * group have also read since their last barrier. */
static uint32_t readers(const struct shadow *x) {
    if (row_of(x->read_who) != here.row)
        return x->read_who | SEVERAL_ITEMS;
    return x->read_stamp < here.stretch ? here.who
                                        : host_now.group << ITEM_BITS | (SEVERAL_OF_ROW + here.row);
}

static ALWAYS void note_read(struct shadow *x) {
    uint32_t group = x->read_who >> ITEM_BITS;
    if (x->read_stamp >= here.now && x->read_who == (here.who | SEVERAL_ITEMS))
        /* the word is already recorded as read by several work-items of this group: the most
         * frequent case */
        ;
    else if (x->read_stamp <= all_met || x->read_who == here.who)
        x->read_who = here.who;
    else if (group != host_now.group)
        x->read_who =
            is_at_once(x->read_stamp, x->read_who) ? SEVERAL_GROUPS << ITEM_BITS : here.who;
    else
        x->read_who = x->read_stamp < here.now ? here.who : readers(x);
    x->read_stamp = here.stretch;
}

static __attribute__((cold, noinline)) _Noreturn void race(const struct shadow *x, int is_write,
                                                           const void *pc) {
    if (is_at_once(x->write_stamp, x->write_who))
        host_fault(pc, "%s a word that work-item %u of group %u writes at the same time",
                   is_write ? "writes" : "reads", x->write_who & SEVERAL_ITEMS,
                   x->write_who >> ITEM_BITS);
    host_fault(pc, "writes a word that others read at the same time");
}

/* Checks an access to a word for races and uninitialised reads.  Ignores earlier accesses with a
 * time stamp before `since`. */
static ALWAYS void check_word(struct shadow *x, uint32_t since, int is_write, const void *pc) {
    if (!is_write && x->read_stamp == here.stretch && x->read_who == here.who)
        /* this work-item has already read the word; later writes by others are checked against
         * that read */
        return;
    if (x->write_stamp < since)
        x->write_stamp = 0;
    if (x->read_stamp < since)
        x->read_stamp = 0;
    if (is_at_once(x->write_stamp, x->write_who) ||
        (is_write && is_at_once(x->read_stamp, x->read_who)))
        race(x, is_write, pc);
    if (!is_write && x->write_stamp < since)
        host_fault(pc, "reads a word that nothing has written");
    if (is_write) {
        x->write_stamp = here.stretch;
        x->write_who = here.who;
    } else
        note_read(x);
}

static ALWAYS void check_words(const char *at, size_t bytes, uint32_t since, int is_write,
                               const void *pc) {
    struct shadow *x = shadow_of(at), *end = shadow_of(at + bytes + 3);
    for (; x < end; x++)
        check_word(x, since, is_write, pc);
}

/* Prepares a buffer for separate checks of both halves of each word. */
static SHARED halve(const char *at) {
    const char *first = memory + (size_t)slot_of(at) * SLOT_BYTES;
    memcpy(upper_of(first), shadow_of(first),
           (slots[slot_of(at)].bytes + 3) / 4 * sizeof(struct shadow));
    slots[slot_of(at)].is_halved = 1;
}

/* Checks the halves of words that an access covers: both halves of each word, or one half. */
static ALWAYS void check_halves(const char *at, size_t bytes, uint32_t since, int is_write,
                                const void *pc) {
    struct shadow *x = upper_of(at), *end = upper_of(at + bytes + 3);
    if (bytes != 2 || (size_t)at % 4 == 0)
        check_words(at, bytes, since, is_write, pc);
    if (bytes != 2 || (size_t)at % 4 == 2)
        for (; x < end; x++)
            check_word(x, since, is_write, pc);
}

static __attribute__((cold, noinline)) _Noreturn void outside_locals(size_t offset, int is_write,
                                                                     const void *pc) {
    size_t i = offset >> LOG_LOCAL;
    host_fault(pc, "%s outside of local arrays, byte %zu of array %zu of %zu bytes",
               is_write ? "writes" : "reads", offset & (LOCAL_STRIDE - 1), i % HOST_MOST_LOCALS,
               local_bytes[i]);
}

static ALWAYS void check_local(const char *at, size_t bytes, int is_write, const void *pc) {
    size_t offset = (size_t)(at - here.locals), i = offset >> LOG_LOCAL;
    if (i >= HOST_MOST_LOCALS || (offset & (LOCAL_STRIDE - 1)) + bytes > here.local_bytes[i])
        outside_locals((size_t)(at - memory) - GLOBAL_BYTES, is_write, pc);
    check_words(at, bytes, here.begun, is_write, pc);
}

static __attribute__((cold, noinline)) _Noreturn void outside_buffers(const char *at, int is_write,
                                                                      const void *pc) {
    host_fault(pc, "%s outside of the launch's buffers, byte %zu of one of %zu bytes",
               is_write ? "writes" : "reads", (size_t)(at - memory) & (SLOT_BYTES - 1),
               slots[slot_of(at)].bytes);
}

static ALWAYS void check_global(const char *at, size_t bytes, int is_write, const void *pc) {
    size_t offset = (size_t)(at - memory), i = offset >> LOG_SLOT;
    if ((offset & (SLOT_BYTES - 1)) + bytes > argument_bytes[i])
        outside_buffers(at, is_write, pc);
    if (bytes == 2 && !slots[i].is_halved)
        halve(at);
    if (slots[i].is_halved)
        check_halves(at, bytes, slots[i].of_host ? 0 : 1, is_write, pc);
    else
        check_words(at, bytes, slots[i].of_host ? 0 : 1, is_write, pc);
}

/* Returns true for addresses that need no check: the work-item's own stack, where most accesses
 * are, and the program's sections. */
static ALWAYS int is_own(const char *at) {
    extern const char __executable_start[], end[];
    const char *stack = __builtin_frame_address(0);
    return (size_t)(at - stack) < HOST_STACK_BYTES || (at >= __executable_start && at < end);
}

static ALWAYS void check(const char *at, size_t bytes, int is_write, const void *pc) {
    size_t offset = (size_t)(at - memory);
    if (offset >= GLOBAL_BYTES && offset < ALL_BYTES)
        check_local(at, bytes, is_write, pc);
    else if (offset < GLOBAL_BYTES)
        check_global(at, bytes, is_write, pc);
    else
        host_fault(pc, "%s at no place of its own", is_write ? "writes" : "reads");
}

void memory_read(const void *at, size_t bytes) {
    check(at, bytes, 0, __builtin_return_address(0));
}

void memory_increment(const void *word) {
    struct shadow *x = shadow_of(word);
    const void *pc = __builtin_return_address(0);
    if (!is_inside(word, sizeof(uint32_t)) || x->write_stamp == 0)
        host_fault(pc, "increments a word outside of buffers, or that nothing has written");
    incremented[host_now.group] = runs[host_now.place].now;
    runs[host_now.place].has_incremented = 1;
}

/* ---- functions that instrumented code calls */

/* Accesses to shared memory are checked in separate functions, so that the fast path, for the
 * work-item's own stack, needs few registers. */
#define ACCESS(bytes)                                                                              \
    void __tsan_read##bytes(void *at);                                                             \
    void __tsan_write##bytes(void *at);                                                            \
    static SHARED read_##bytes(const char *at, const void *pc) {                                   \
        check(at, bytes, 0, pc);                                                                   \
    }                                                                                              \
    static SHARED write_##bytes(const char *at, const void *pc) {                                  \
        check(at, bytes, 1, pc);                                                                   \
    }                                                                                              \
    void __tsan_read##bytes(void *at) {                                                            \
        if (!is_own(at))                                                                           \
            read_##bytes(at, __builtin_return_address(0));                                         \
    }                                                                                              \
    void __tsan_write##bytes(void *at) {                                                           \
        if (!is_own(at))                                                                           \
            write_##bytes(at, __builtin_return_address(0));                                        \
    }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __tsan_read_range(void *at, long bytes);
void __tsan_write_range(void *at, long bytes);
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void *unused);
void __tsan_init(void);

void __tsan_read_range(void *at, long bytes) {
    if (!is_own(at))
        check(at, (size_t)bytes, 0, __builtin_return_address(0));
}

void __tsan_write_range(void *at, long bytes) {
    if (!is_own(at))
        check(at, (size_t)bytes, 1, __builtin_return_address(0));
}

void __tsan_func_entry(void *pc) {
    (void)pc;
}

void __tsan_func_exit(void *unused) {
    (void)unused;
}

void __tsan_init(void) {
}
