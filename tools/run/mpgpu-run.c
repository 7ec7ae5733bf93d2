/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-run: runs a program with libmpgpu-gmp.so preloaded.  It executes the program in its own
 * process, so the program has its process number and its exit status.  With --profile and
 * --estimate it waits for the program instead (tools/run/watch.h), and returns its exit status.
 * The status is 125 if mpgpu-run fails, 126 if the program cannot be executed, 127 if it is not
 * found. */
#include "config.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "tools/run/command.h"
#include "tools/run/helper.h"
#include "tools/run/library.h"
#include "tools/run/options.h"
#include "tools/run/say.h"
#include "tools/run/watch.h"

/* ---- timers of processor time (setitimer), which survive execve */

static struct timer {
    int which, signal;
    struct itimerval left;
} timers[] = {{ITIMER_PROF, SIGPROF, {{0, 0}, {0, 0}}},
              {ITIMER_VIRTUAL, SIGVTALRM, {{0, 0}, {0, 0}}}};

enum { TIMERS = sizeof timers / sizeof *timers };

static bool has_handler(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
           action.sa_handler != SIG_IGN;
}

/* Stops the timers, so that none of them ends mpgpu-run, which has no handler for their signals. */
static void run_timers_stop(void) {
    for (int i = 0; i < TIMERS; i++)
        if (getitimer(timers[i].which, &timers[i].left) == 0 &&
            timerisset(&timers[i].left.it_value))
            setitimer(timers[i].which, &(struct itimerval){.it_value = {0, 0}}, NULL);
}

/* Starts inherited timers again with their remaining time, just before the program.  If this
 * process has a handler for a timer's signal, the timer belongs to a preloaded profiler.  It stays
 * stopped, because execve removes the handler; the profiler starts it again in the program. */
static void run_timers_restore(void) {
    for (int i = 0; i < TIMERS; i++)
        if (timerisset(&timers[i].left.it_value) && !has_handler(timers[i].signal))
            setitimer(timers[i].which, &timers[i].left, NULL);
}

/* ---- the LD_PRELOAD of the program */

static const char separators[] = ": ";

/* Checks that a library in LD_PRELOAD was loaded.  If not, tries to load it, and prints the reason
 * for the failure. */
static void check_one(const char *name) {
    void *loaded = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (!loaded)
        loaded = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    const char *error = loaded ? NULL : dlerror();
    if (error)
        run_say("LD_PRELOAD names %s", error);
}

/* Prints one line for each library of `list` that the dynamic linker cannot load.  `list` is the
 * LD_PRELOAD with which this process was started. */
static void run_preload_check(const char *list) {
    char *copy = strdup(list), *rest = copy, *name;
    while (rest && (name = strsep(&rest, separators)))
        if (*name)
            check_one(name);
    free(copy);
}

static bool begins(const char *text, const char *head) {
    return strncmp(text, head, strlen(head)) == 0;
}

/* Returns true for a libgmp, and for this library, which an outer mpgpu-run may have added. */
static bool is_gmp(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return begins(name, "libgmp.so") || begins(name, "libgmp-") || begins(name, "libmpgpu-gmp.so");
}

static void append(char *list, const char *name) {
    if (*list)
        strcat(list, ":");
    strcat(list, name);
}

/* Returns a new list with `library` behind the entries of `list`, but in front of a libgmp: the
 * library must precede libgmp.  The caller frees the result. */
static char *run_preload_add(const char *list, const char *library) {
    char *copy = strdup(list), *rest = copy, *name;
    char *result = calloc(1, strlen(list) + strlen(library) + 2);
    bool is_placed = false;
    if (!copy || !result)
        run_fail(RUN_FAILED, "no memory");
    while (rest && (name = strsep(&rest, separators))) {
        if (is_gmp(name) && !is_placed) {
            append(result, library);
            is_placed = true;
        }
        if (*name)
            append(result, name);
    }
    if (!is_placed)
        append(result, library);
    free(copy);
    return result;
}

/* ---- the program */

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

/* Sets MPGPU_RUN, which the library reads at the program's start and removes
 * (lib/process/launched.h).  It has the process number of mpgpu-run, and with --no-children the
 * LD_PRELOAD for child processes. */
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
    unsetenv("LD_PRELOAD"); /* the helper programs below run without a preload */
    unsetenv("MPGPU_RUN");
    if (preload)
        run_preload_check(preload);
    if (options.serves)
        run_helper_serve(&library, options.conf);
    if (options.needs_device)
        run_helper_require_device(&library, options.conf);
    if (options.page || options.times)
        run_watch(&options, argv);
    if (!options.replaces || run_helper_replace(&library, path)) {
        warn_of_obstacle(&options, argv[0], path);
        set_environment(&options, &library, preload);
    } else if (preload) {
        setenv("LD_PRELOAD", preload, 1);
    }
    run_timers_restore();
    run_command_exec(path, argv);
}
