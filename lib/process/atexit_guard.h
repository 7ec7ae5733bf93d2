/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What the libraries that a driver brings have registered for the end of the program. */
#ifndef MPGPU_ATEXIT_GUARD_H
#define MPGPU_ATEXIT_GUARD_H

/* A thread is inside a driver, and is not waited for: nothing of that sort is run from now on, in
 * this process. */
void atexit_guard_forbid(void);

#endif
