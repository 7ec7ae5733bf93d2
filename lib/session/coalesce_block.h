/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A block of memory that a program shares with the launcher, the thread that launches small
 * products (lib/session/coalesce_launcher.h). The slots, which contain operands and results
 * (lib/multiply/direct.h), follow the block in memory.
 *
 * If the launcher is in another process, it trusts nothing in the block, and copies an item before
 * it checks the item. */
#ifndef MPGPU_COALESCE_BLOCK_H
#define MPGPU_COALESCE_BLOCK_H

#include "lib/multiply/direct.h"
#include "lib/process/executor.h"
#include "lib/session/coalesce_slots.h"

/* States of a slot's entry. A program may write the entry in the states COALESCE_IDLE and
 * COALESCE_ENDED, and in the state COALESCE_LAUNCHED once the host has seen the result. At all
 * other times the launcher owns the entry. */
enum coalesce_state { COALESCE_IDLE, COALESCE_PENDING, COALESCE_LAUNCHED, COALESCE_ENDED };

struct coalesce_entry {
    _Alignas(64) struct direct_item item;
    atomic_int state;
    /* the program asks the launcher to wait for this product by a driver call */
    atomic_bool is_late;
    atomic_int status; /* an enum gpu_status; valid only in the state COALESCE_ENDED */
    struct event ended;
};

/* The memory that a program shares with the launcher. Each mask has one bit for each slot. */
struct coalesce_block {
    /* Bit masks of slots, set by the program. pending: slots to launch. late: slots for which the
     * launcher must wait by a driver call. ended: slots whose end the program has seen. */
    _Alignas(64) _Atomic uint32_t pending, late, ended;
    /* the launcher must clear the products' data on the device after each launch */
    uint32_t wants_clear;
    /* Set by the program when it wakes the launcher; cleared by the launcher before it sleeps. */
    _Alignas(64) atomic_int draining;
    struct executor_watch watch; /* of the launcher */
    struct coalesce_entry entry[COALESCE_SLOTS];
};

/* Bytes of a shared block; the slots begin at this offset. */
enum { COALESCE_BLOCK_BYTES = (sizeof(struct coalesce_block) + 4095) / 4096 * 4096 };

#endif
