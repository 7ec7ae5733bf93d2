/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-run: runs a program with libmpgpu-gmp.so in front of its GMP.  It becomes the program, so
 * the program has its process number and its exit status; 125 if mpgpu-run fails, 126 if the
 * program cannot be run, 127 if it is not found. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/run/command.h"
#include "tools/run/helper.h"
#include "tools/run/library.h"
#include "tools/run/options.h"
#include "tools/run/preload.h"
#include "tools/run/say.h"
#include "tools/run/timers.h"

static void print(const char *format, va_list args) {
    char text[8192];
    vsnprintf(text, sizeof text, format, args);
    fprintf(stderr, "mpgpu-run: %s\n", text);
}

void run_say(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print(format, args);
    va_end(args);
}

void run_fail(int status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print(format, args);
    va_end(args);
    exit(status);
}

/* What the library reads once and takes out of the environment again (lib/process/launched.h): the
 * process that mpgpu-run has become, and the LD_PRELOAD of its children. */
static void set_launch(const struct run_options *o, const char *preload) {
    char process[32];
    size_t size = sizeof process + (preload ? strlen(preload) : 0);
    char *text = malloc(size);
    snprintf(process, sizeof process, "%ld", (long)getpid());
    if (!text)
        run_fail(RUN_FAILED, "no memory");
    snprintf(text, size, "%s%s%s", process, o->spares_children ? ":" : "",
             o->spares_children && preload ? preload : "");
    setenv("MPGPU_RUN", text, 1);
    free(text);
}

static void set_environment(const struct run_options *o, const struct run_library *library,
                            const char *preload) {
    char *all = run_preload_add(preload ? preload : "", library->preload);
    if (o->conf)
        setenv("MPGPU_CONF", o->conf, 1);
    if (o->reports || o->spares_children)
        set_launch(o, preload);
    setenv("LD_PRELOAD", all, 1);
    free(all);
}

static void warn_of_obstacle(const struct run_options *o, const char *name, const char *path) {
    const char *obstacle = o->reports ? run_command_obstacle(path) : NULL;
    if (obstacle)
        run_say("no statistics of %s: %s, so none of its calls can be intercepted", name, obstacle);
}

int main(int argc, char **argv) {
    static struct run_options options;
    static struct run_library library;
    static char path[PATH_MAX];
    (void)argc;
    run_timers_stop();
    argv += run_options_read(argv, &options);
    run_library_find(&library);
    run_command_find(argv[0], path);
    char *given = getenv("LD_PRELOAD"), *preload = given ? strdup(given) : NULL;
    unsetenv("LD_PRELOAD"); /* the programs below need none of it */
    unsetenv("MPGPU_RUN");
    if (preload)
        run_preload_check(preload);
    if (options.serves)
        run_helper_serve(&library, options.conf);
    if (!options.replaces || run_helper_replace(&library, path)) {
        warn_of_obstacle(&options, argv[0], path);
        set_environment(&options, &library, preload);
    } else if (preload) {
        setenv("LD_PRELOAD", preload, 1);
    }
    run_timers_restore();
    run_command_exec(path, argv);
}
