/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory that a program shares with the launcher of its small products
 * (lib/session/coalesce_launcher.h). The launcher may be in another process; then it trusts
 * nothing here, and copies an item before it checks it. The slots, which contain operands and
 * results (lib/multiply/direct.h), follow the block. */
#ifndef MPGPU_COALESCE_BLOCK_H
#define MPGPU_COALESCE_BLOCK_H

#include "lib/multiply/direct.h"
#include "lib/process/executor.h"
#include "lib/session/coalesce_slots.h"

/* States of an entry. A program may write the entry while it is idle, and again once it is
 * COALESCE_ENDED, or COALESCE_LAUNCHED with its result seen by the host. In between, the launcher
 * owns the entry. */
enum coalesce_state { COALESCE_IDLE, COALESCE_PENDING, COALESCE_LAUNCHED, COALESCE_ENDED };

struct coalesce_entry {
    _Alignas(64) struct direct_item item;
    atomic_int state;
    atomic_bool is_late; /* the program asks the launcher to wait for this product in the driver */
    atomic_int status;   /* enum gpu_status, valid in the state COALESCE_ENDED */
    struct event ended;
};

/* The shared block. Each mask has a bit for each slot. */
struct coalesce_block {
    /* Set by the program. pending: slots to launch; late: slots for which to wait in the driver;
     * ended: slots whose end the program has seen. */
    _Alignas(64) _Atomic uint32_t pending, late, ended;
    uint32_t wants_clear; /* clear the products' data on the device after each launch */
    /* Set by the program when it wakes the launcher; cleared by the launcher before it sleeps. */
    _Alignas(64) atomic_int draining;
    struct executor_watch watch; /* of the launcher */
    struct coalesce_entry entry[COALESCE_SLOTS];
};

/* Bytes of a shared block; the slots begin at this offset. */
enum { COALESCE_BLOCK_BYTES = (sizeof(struct coalesce_block) + 4095) / 4096 * 4096 };

#endif
