/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The gate to memory of the program.  Threads of ours that copy from or to it pass
 * the gate; when a device does not answer and the program goes on without it, the
 * gate is shut for good, so that a late answer touches nothing. */
#ifndef MPGPU_GATE_H
#define MPGPU_GATE_H

/* 0: it is shut.  Else gate_leave must follow, and soon: no waiting in between. */
int gate_enter(void);
void gate_leave(void);

/* Returns when nobody is inside, and nobody will come in any more. */
void gate_shut(void);

#endif
