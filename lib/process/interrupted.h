/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Whether this thread is in a handler of a signal.  That may have come anywhere, inside malloc too:
 * to begin what takes memory could wait there for ever for a lock that this thread has. */
#ifndef MPGPU_INTERRUPTED_H
#define MPGPU_INTERRUPTED_H

/* 1 if the stack shows the frame of a signal; 0 too where it cannot be followed so far, through
 * code without tables for unwinding.  Takes no lock and no memory; 0.1 us a frame. */
int interrupted(void);

#endif
