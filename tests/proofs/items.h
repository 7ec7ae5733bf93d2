/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs the work-items of one group on the host, for enumerations of functions that exchange words.
 * Include it before tests/proofs/narrow.h. Each work-item runs until it waits or ends, then the
 * next one. The order alternates between ascending and descending, so that a missing barrier gives
 * a wrong result. If some work-items wait where others end, the program ends with status 1. */
#ifndef MPGPU_PROOFS_ITEMS_H
#define MPGPU_PROOFS_ITEMS_H

#undef _FORTIFY_SOURCE /* with _FORTIFY_SOURCE, longjmp refuses to switch stacks */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { ITEMS_MOST = 16, ITEMS_STACK = 64 << 10 };
enum items_state { ITEM_RUNS, ITEM_WAITS, ITEM_ENDED };

static struct {
    jmp_buf at;
    int has_begun, carry; /* carry: the device's carry flag; -1 if a wait may have changed it */
    enum items_state state;
    unsigned given;
} items[ITEMS_MOST];
static char items_stacks[ITEMS_MOST][ITEMS_STACK];
static jmp_buf items_scheduler;
static void (*items_work)(void);
static unsigned item, items_taken[ITEMS_MOST];
static unsigned items_count, the_group, the_groups = 1;

#define LOCAL_ID ((u32)item)
#define GROUP_X ((u32)the_group)
#define GROUPS_X ((u32)the_groups)
#define BARRIER() items_leave(ITEM_WAITS)
#define LOCAL_ARRAY(type, name, count) static type name[count]

__attribute__((noinline)) static void items_leave(enum items_state state) {
    items[item].state = state;
    items[item].carry = -1;
    if (_setjmp(items[item].at) == 0)
        _longjmp(items_scheduler, 1);
}

/* Returns the words x of all work-items; they are valid until the next wait. All work-items must
 * call it. */
__attribute__((unused)) static const unsigned *items_exchange(unsigned x) {
    items[item].given = x;
    items_leave(ITEM_WAITS);
    return items_taken;
}

static void items_live(void) {
    for (;;) {
        items_work();
        items_leave(ITEM_ENDED);
    }
}

__attribute__((noinline)) static void items_begin(void) {
    static ucontext_t first;
    items[item].has_begun = 1;
    getcontext(&first);
    first.uc_stack.ss_sp = items_stacks[item];
    first.uc_stack.ss_size = ITEMS_STACK;
    makecontext(&first, items_live, 0);
    setcontext(&first);
}

__attribute__((noinline)) static void items_resume(void) {
    if (_setjmp(items_scheduler) == 0) {
        if (items[item].has_begun)
            _longjmp(items[item].at, 1);
        items_begin();
    }
}

/* Runs `work` in work-items 0 to count - 1. */
static void items_run(unsigned count, void (*work)(void)) {
    items_work = work;
    items_count = count;
    for (int is_downward = 0;; is_downward = !is_downward) {
        unsigned waits = 0;
        for (unsigned i = 0; i < count; i++) {
            item = is_downward ? count - 1 - i : i;
            items_resume();
            waits += items[item].state == ITEM_WAITS;
        }
        if (waits == 0)
            break;
        if (waits != count) {
            printf("WRONG: work-items wait where not all others come\n");
            exit(1);
        }
        for (unsigned i = 0; i < count; i++)
            items_taken[i] = items[i].given;
    }
    item = 0;
}

#endif
