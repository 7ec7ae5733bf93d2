/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Starts processes that are not children of this process. */
#ifndef MPGPU_DETACHED_H
#define MPGPU_DETACHED_H

#include <stdbool.h>
#include <sys/types.h>

/* The number of the inherited descriptor in the new process. */
enum { DETACHED_FILE = 3 };

/* Starts program `path` as a process that is no child of this one, in a session of its own. The
 * process inherits no descriptor but `file`, as DETACHED_FILE; none if `file` is -1. Its
 * environment is this process's without LD_PRELOAD and MPGPU_CONF, plus `variable` unless that is
 * NULL. Returns 0 or an errno value. Any thread may call it. */
int detached_start(const char *path, char *const *arguments, int file, const char *variable,
                   pid_t *pid);

/* Returns NULL if this process may start a detached process, otherwise the reason why not. */
const char *detached_forbidden(void);

/* Returns true if the process has ended, even if no wait() has collected it yet. */
bool detached_has_ended(pid_t pid);

#endif
