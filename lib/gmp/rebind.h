/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Makes objects with a libgmp of their own call that libgmp directly. */
#ifndef MPGPU_REBIND_H
#define MPGPU_REBIND_H

/* Rebinds every object that needs another libgmp than the one behind this library, so that it calls
 * its own libgmp, as without this library. Also makes that libgmp call its own functions. */
void rebind_others(void);

#endif
