/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opens and closes several sessions in one test process. */
#ifndef MPGPU_TEST_SESSION_ANEW_H
#define MPGPU_TEST_SESSION_ANEW_H

#include <stdbool.h>

/* Closes the devices of the session, if any are open, and resets their fault counters. */
void session_put_down(void);

/* Opens the session's devices.  Closes them first if they are open. */
void session_anew(void);

/* Waits, without a time limit, until all threads that call the device are idle. */
void session_calm(void);

/* Returns true if the slots for small products could not be opened.  Their memory stays allocated
 * if the device did not become idle after the failure. */
bool session_way_failed(void);

/* Returns the faults counted by the session. */
int session_faults(void);

/* Sets the fault counters of all used devices to -more, so that each device stays in use for `more`
 * additional faults. */
void session_forgive(int more);

#endif
