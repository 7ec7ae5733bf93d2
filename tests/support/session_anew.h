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

/* Returns true if gathered products could not be opened.  If the device could not be waited for,
 * their memory stays allocated. */
bool session_way_failed(void);

/* Faults counted by the session. */
int session_faults(void);

/* Sets that count of devices in use to -more: they are used for `more` more faults. */
void session_forgive(int more);

#endif
