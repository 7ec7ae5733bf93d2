/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The gate to memory of the program.  Threads of ours that copy from or to it pass
 * the gate; when a device does not answer and the program goes on without it, the
 * gate is shut for good, so that a late answer touches nothing. */
#ifndef MPGPU_GATE_H
#define MPGPU_GATE_H

#include <stddef.h>

/* 0: it is shut.  Else gate_leave must follow, and soon: no waiting in between. */
int gate_enter(void);
void gate_leave(void);

/* Before the device itself is asked to write {p, bytes}, whole pages of private memory that it
 * has locked; 0 if it may not.  What has been lent when the gate is shut is lost: the
 * addresses lead to other pages then, and what the device may still write goes into those that
 * it has locked.  `owner` tells what ends together. */
int gate_acquire(const void *owner, void *p, size_t bytes);

/* The device is done with all that was lent for `owner`. */
void gate_release(const void *owner);

/* Returns when nobody is inside, and nobody will come in any more, nor write anything that
 * was lent. */
void gate_shut(void);

#endif
