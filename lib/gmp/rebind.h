/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Objects with a libgmp of their own, and this library no more between them. */
#ifndef MPGPU_REBIND_H
#define MPGPU_REBIND_H

/* Lets every object that finds another libgmp than the one behind this library among what it needs
 * call that one itself, as it would without this library; also that libgmp its own functions. */
void rebind_others(void);

#endif
