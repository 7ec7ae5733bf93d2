/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Many sessions in one process, for tests. */
#ifndef MPGPU_TEST_SESSION_ANEW_H
#define MPGPU_TEST_SESSION_ANEW_H

/* Close the device, if one is open; no faults are counted any more.  Nonzero if the gate
 * was shut (lib/process/gate.h): what was lent then lies on other pages. */
int session_put_down(void);

/* After that, or as the first: open a device. */
void session_anew(void);

/* Wait until the thread that calls the device has nothing to do, however long. */
void session_calm(void);

/* The faults that the session has counted. */
int session_faults(void);

#endif
