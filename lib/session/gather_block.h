/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What a program and the thread that launches its small products see of each other.  They may be
 * in two processes: then the thread trusts nothing here, and copies an item before it looks at it.
 * The slots (lib/multiply/direct.h) lie behind the block. */
#ifndef MPGPU_GATHER_BLOCK_H
#define MPGPU_GATHER_BLOCK_H

#include "lib/multiply/direct.h"
#include "lib/process/executor.h"
#include "lib/session/gather_slots.h"

/* An entry is the program's until it is GATHER_PENDING, and again when it is GATHER_LAUNCHED and
 * the host sees its end, or when it has GATHER_ENDED. */
enum gather_state { GATHER_IDLE, GATHER_PENDING, GATHER_LAUNCHED, GATHER_ENDED };

struct gather_entry {
    _Alignas(64) struct direct_item item;
    atomic_int state;
    atomic_bool is_late; /* the program wants the driver asked */
    atomic_int status;   /* enum gpu_status, of one that has ended */
    struct event ended;
};

/* Masks have a bit for each slot. */
struct gather_block {
    /* The program's: to be launched, to be waited for in the driver, and seen to have ended. */
    _Alignas(64) _Atomic uint32_t pending, late, ended;
    uint32_t wants_clear; /* the device's copies are cleared after each launch */
    /* Set by the program that wakes the thread, cleared by the thread before it sleeps. */
    _Alignas(64) atomic_int draining;
    struct executor_watch watch; /* of the thread */
    struct gather_entry entry[GATHER_SLOTS];
};

/* Where the slots of another process's block begin. */
enum { GATHER_BLOCK_BYTES = (sizeof(struct gather_block) + 4095) / 4096 * 4096 };

#endif
