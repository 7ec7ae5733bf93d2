/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Reads the environment variable MPGPU_RUN, in which mpgpu-run names the process that becomes the
 * program. */
#define _GNU_SOURCE 1 /* program_invocation_short_name */
#include "config.h"

#include "lib/process/launched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "lib/base/started.h"

/* id of the process that mpgpu-run has become; 0 in any other process */
static USED_AT_START pid_t process;

static USED_AT_START char run_name[] = "MPGPU_RUN", preload_name[] = "LD_PRELOAD",
                          passing_name[] = "env";

/* Restores LD_PRELOAD to its value before mpgpu-run, which is a shorter string. Overwrites the
 * string in place, because main's list of environment variables may already be in use. */
static AT_START void set_preload(const char *before) {
    char *now = getenv(preload_name);
    if (!*before)
        unsetenv(preload_name);
    else if (now && strlen(before) <= strlen(now))
        strcpy(now, before);
}

/* Evaluates MPGPU_RUN. Ignores it in the program `env`, as in "#!/usr/bin/env python3", because env
 * becomes the program by another exec. */
static AT_START void read_launch(const char *text) {
    char *end;
    pid_t number = (pid_t)strtol(text, &end, 10);
    if (number != getpid() || strcmp(program_invocation_short_name, passing_name) == 0)
        return;
    process = number;
    if (*end == ':')
        set_preload(end + 1);
    unsetenv(run_name);
}

static __attribute__((constructor)) void look_at_launch(void) {
    const char *text = getenv(run_name);
    int saved = errno;
    if (text && !getauxval(AT_SECURE))
        read_launch(text);
    errno = saved;
}

bool launched_is_program(void) {
    return process && process == getpid();
}
