/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Waits for the program, and prints the reports of --profile and --estimate. */
#include "config.h"

#include "tools/run/watch.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/report/report.h"
#include "tools/run/say.h"

static char folder[PATH_MAX];

/* ---- the folder */

static void make_folder(struct run_options *o) {
    static char item[PATH_MAX + 32];
    const char *parent = getenv("TMPDIR");
    if (!parent || *parent != '/')
        parent = "/tmp";
    if ((size_t)snprintf(folder, sizeof folder, "%s/mpgpu-profile-XXXXXX", parent) >=
            sizeof folder - 32 ||
        strchr(folder, ','))
        run_fail(RUN_FAILED, "TMPDIR: the path '%s' is too long or has a comma", parent);
    if (!mkdtemp(folder))
        run_fail(RUN_FAILED, "no folder for the profile in '%s': %s", parent, strerror(errno));
    snprintf(item, sizeof item, "stats_sites:%s", folder);
    run_options_append(o, item);
    if (o->times)
        run_options_append(o, "backend:none");
}

static void remove_folder(void) {
    char path[2 * PATH_MAX];
    DIR *stream = opendir(folder);
    const struct dirent *entry;
    while (stream && (entry = readdir(stream))) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (*entry->d_name != '.')
            unlink(path);
    }
    if (stream)
        closedir(stream);
    rmdir(folder);
}

/* ---- signals */

/* The signals that mpgpu-run handles. It passes them to the program, except the first three: a
 * terminal sends two of these to the program itself. mpgpu-run ignores SIGPIPE, so that it writes
 * the page and removes the folder even if nobody reads the report. */
static const int signals[] = {SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
enum { IGNORED = 3, SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction before[SIGNALS], before_child;
static sigset_t mask_before;
static volatile sig_atomic_t program; /* the program's process number; 0: it was not started yet */

static void pass_on(int number) {
    if (program)
        kill(program, number);
}

/* Blocks all signals until the program's process is known (let_signals_in). */
static void take_signals(void) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask_before);
    struct sigaction action = {.sa_handler = SIG_IGN, .sa_flags = SA_RESTART};
    for (int i = 0; i < SIGNALS; i++) {
        if (i >= IGNORED)
            action.sa_handler = pass_on;
        sigaction(signals[i], &action, &before[i]);
    }
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &before_child);
}

static void let_signals_in(void) {
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

static void restore_signals(void) {
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    sigaction(SIGCHLD, &before_child, NULL);
    let_signals_in();
}

/* ---- the end */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int await(void) {
    int status = 0;
    while (waitpid((pid_t)program, &status, 0) < 0)
        if (errno != EINTR)
            return 0;
    return status;
}

static void describe_end(int status, struct report *r) {
    if (WIFSIGNALED(status))
        snprintf(r->end, sizeof r->end, "ended by a signal: %s", strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
        snprintf(r->end, sizeof r->end, "exit status %d", WEXITSTATUS(status));
}

static void write_page(const struct report *r, const char *path) {
    FILE *file = fopen(path, "w");
    if (!file || !report_page(r, file))
        run_say("--profile: '%s' cannot be written: %s", path, strerror(errno));
    else
        run_say("the same as a page: %s", path);
    if (file)
        fclose(file);
}

static void print_reports(const struct run_options *o, const struct times *times,
                          struct report *r) {
    if (times)
        estimate_text(r, times);
    report_join_sizes(r);
    if (!o->page)
        return;
    report_text(r);
    write_page(r, o->page);
}

/* Ends this process in the same way as the program ended, but without a second core file. */
static _Noreturn void end_as(int status) {
    if (!WIFSIGNALED(status))
        exit(WEXITSTATUS(status));
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    sigaction(WTERMSIG(status), &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    raise(WTERMSIG(status));
    exit(RUN_FAILED); /* reached only if the signal is blocked */
}

/* Returns the program and its arguments as one text. */
static char *command_of(char **argv) {
    static char text[512];
    size_t used = 0;
    for (int i = 0; argv[i] && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "", argv[i]);
    return text;
}

void run_watch(struct run_options *o, char **argv) {
    struct report report = {.command = command_of(argv)};
    struct times *times = o->times ? times_open(o->times) : NULL;
    if (o->times && !times)
        exit(RUN_FAILED); /* the called function has printed the reason */
    make_folder(o);
    take_signals();
    const double start = now();
    const pid_t child = fork();
    if (child < 0) {
        remove_folder();
        run_fail(RUN_FAILED, "no process for the program: %s", strerror(errno));
    }
    if (child == 0) {
        restore_signals();
        return;
    }
    program = child;
    let_signals_in();
    const int status = await();
    program = 0;
    report.seconds = now() - start;
    describe_end(status, &report);
    if (!report_read(folder, &report))
        run_say("no memory for the profile");
    else
        print_reports(o, times, &report);
    remove_folder();
    end_as(status);
}
