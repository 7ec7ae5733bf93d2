/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Processes that no driver ought to be brought into. */
#ifndef MPGPU_SURROUNDINGS_H
#define MPGPU_SURROUNDINGS_H

/* NULL, or in words why no device is to be opened in this process.  Asked once the options are
 * read. */
const char *surroundings_forbid(void);

/* Has this thread a filter of system calls that the program did not begin with?  Then none is made
 * in it, where no device was asked for by name. */
int surroundings_forbid_threads(void);

/* Has the program confined itself by a filter of system calls, where there was none at the start?
 * Then files are not read either. */
int surroundings_are_confined(void);

#endif
