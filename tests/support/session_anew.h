/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Many sessions in one process, for tests. */
#ifndef MPGPU_TEST_SESSION_ANEW_H
#define MPGPU_TEST_SESSION_ANEW_H

#include <stdbool.h>

/* Closes the device, if one is open, and resets the count of faults. */
void session_put_down(void);

/* Opens a device, the first one or after session_put_down. */
void session_anew(void);

/* Waits without limit until the threads that call the device are idle. */
void session_calm(void);

/* Has the way of gathered products not opened?  Where the device could not be waited for, what was
 * made for it stays. */
bool session_way_failed(void);

/* Faults counted by the session. */
int session_faults(void);

/* Sets that count to 0, of devices that are still used, or below: they are used for so many faults
 * more. */
void session_forgive(int more);

#endif
