/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Whose malloc the process has. */
#ifndef MPGPU_ALLOCATOR_H
#define MPGPU_ALLOCATOR_H

/* Are malloc, free and the functions for aligned memory of one make?  Where a program brings some
 * of them only, drivers free what another has made. */
int allocator_is_whole(void);

#endif
