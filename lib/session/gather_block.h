/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory that a program shares with the launcher of its small products. If the launcher is in
 * another process, it trusts nothing here and copies an item before it checks it. The slots
 * (lib/multiply/direct.h) follow the block. */
#ifndef MPGPU_GATHER_BLOCK_H
#define MPGPU_GATHER_BLOCK_H

#include "lib/multiply/direct.h"
#include "lib/process/executor.h"
#include "lib/session/gather_slots.h"

/* The program owns an entry before it becomes GATHER_PENDING. The program owns it again when the
 * host sees the result of a GATHER_LAUNCHED one, or when it is GATHER_ENDED. */
enum gather_state { GATHER_IDLE, GATHER_PENDING, GATHER_LAUNCHED, GATHER_ENDED };

struct gather_entry {
    _Alignas(64) struct direct_item item;
    atomic_int state;
    atomic_bool is_late; /* the program wants the launcher to ask the driver */
    atomic_int status;   /* enum gpu_status, once the entry is GATHER_ENDED */
    struct event ended;
};

/* Masks have a bit for each slot. */
struct gather_block {
    /* Set by the program: slots to launch, slots to wait for in the driver, slots whose end it has
     * seen. */
    _Alignas(64) _Atomic uint32_t pending, late, ended;
    uint32_t wants_clear; /* the device's copies are cleared after each launch */
    /* Set by the program that wakes the launcher, cleared by the launcher before it sleeps. */
    _Alignas(64) atomic_int draining;
    struct executor_watch watch; /* of the launcher */
    struct gather_entry entry[GATHER_SLOTS];
};

/* The offset of the slots in the block of another process. */
enum { GATHER_BLOCK_BYTES = (sizeof(struct gather_block) + 4095) / 4096 * 4096 };

#endif
