/* SPDX-License-Identifier: LGPL-3.0-or-later
 * mpgpu-run: runs a program with libmpgpu-gmp.so preloaded.  The program replaces mpgpu-run in the
 * same process.  With --profile and --estimate, mpgpu-run waits for the program instead
 * (tools/run/watch.h), and returns its exit status.  The status is 125 if mpgpu-run fails, 126 if
 * the program cannot be executed, 127 if it is not found. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tools/run/elf.h"
#include "tools/run/helper.h"
#include "tools/run/library.h"
#include "tools/run/options.h"
#include "tools/run/say.h"
#include "tools/run/watch.h"

/* ---- finds, checks and executes the program */

static bool is_plain(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool is_executable(const char *path) {
    return is_plain(path) && access(path, X_OK) == 0;
}

/* Looks for the program `name` in one folder of PATH.  The folder's name has `length` bytes; an
 * empty name means the current folder. */
static bool name_in(const char *folder, size_t length, const char *name, char path[PATH_MAX]) {
    int n = length ? snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folder, name)
                   : snprintf(path, PATH_MAX, "./%s", name);
    return n < PATH_MAX && is_plain(path);
}

static void find_in_path(const char *name, char path[PATH_MAX]) {
    int status = RUN_NOT_FOUND;
    const char *given = getenv("PATH"), *next;
    for (const char *folder = given ? given : "/usr/bin:/bin"; folder; folder = next) {
        size_t length = strcspn(folder, ":");
        next = folder[length] ? folder + length + 1 : NULL;
        if (!name_in(folder, length, name, path))
            continue;
        if (is_executable(path))
            return;
        status = RUN_NOT_EXECUTABLE;
    }
    run_fail(status, status == RUN_NOT_FOUND ? "%s: no such program" : "%s: cannot be executed",
             name);
}

/* Finds the program as a shell does: in PATH unless its name has a slash.  Exits with 127 if there
 * is none, with 126 if it cannot be executed. */
static void run_command_find(const char *name, char path[PATH_MAX]) {
    if (!strchr(name, '/')) {
        find_in_path(name, path);
        return;
    }
    if (access(name, F_OK) != 0)
        run_fail(RUN_NOT_FOUND, "%s: no such program", name);
    if (snprintf(path, PATH_MAX, "%s", name) >= PATH_MAX || !is_executable(name))
        run_fail(RUN_NOT_EXECUTABLE, "%s: cannot be executed", name);
}

/* Returns true for a privileged program, for which the dynamic linker ignores LD_PRELOAD. */
static bool has_privileges(const char *path) {
    struct stat status;
    return (stat(path, &status) == 0 &&
            (((status.st_mode & S_ISUID) && status.st_uid != geteuid()) ||
             ((status.st_mode & S_ISGID) && status.st_gid != getegid()))) ||
           (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

/* Returns NULL if the program's dynamic loader is glibc's, otherwise why a preload is
 * impossible. */
static const char *loader_obstacle(const struct elf_image *image) {
    static char text[PATH_MAX + 64];
    const ElfW(Phdr) *segment = elf_segment(image, PT_INTERP);
    if (!segment)
        return "it is statically linked";
    const char *loader = elf_string(image, segment->p_offset);
    const char *slash = loader ? strrchr(loader, '/') : NULL;
    if (!slash || strncmp(slash, "/ld-linux", 9) == 0 || strncmp(slash, "/ld64", 5) == 0)
        return NULL;
    snprintf(text, sizeof text, "it is loaded by %s, not by glibc", loader);
    return text;
}

/* Returns NULL if the dynamic linker can preload the library into the program, otherwise the reason
 * why not.  For a script, checks its interpreter. */
static const char *run_command_obstacle(const char *path) {
    struct elf_image image;
    char file[PATH_MAX];
    const char *obstacle = NULL;
    if (has_privileges(path))
        return "it is set-user-ID, set-group-ID or has capabilities";
    if (elf_map_program(path, &image, file, sizeof file) && elf_is_elf(&image))
        obstacle = elf_is_native(&image) ? loader_obstacle(&image)
                                         : "it is for another machine or word size";
    elf_unmap(&image);
    return obstacle;
}

static void exec_by_shell(const char *path, char **argv) {
    size_t count = 0;
    while (argv[count])
        count++;
    char **words = calloc(count + 2, sizeof *words);
    if (!words)
        run_fail(RUN_NOT_EXECUTABLE, "%s: no memory", path);
    words[0] = (char *)"sh";
    words[1] = (char *)path;
    for (size_t i = 1; i < count; i++)
        words[i + 1] = argv[i];
    execv("/bin/sh", words);
}

/* Executes the program in this process.  Executes a file of an unknown format as a shell script.
 * Exits with 127 or 126 if that fails. */
static void run_command_exec(const char *path, char **argv) {
    execv(path, argv);
    if (errno == ENOEXEC)
        exec_by_shell(path, argv);
    int status = errno == ENOENT ? RUN_NOT_FOUND : RUN_NOT_EXECUTABLE;
    run_fail(status, "%s: %s", path, strerror(errno));
}

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

/* Starts the stopped timers again with their remaining time, just before the program starts.  A
 * timer whose signal this process handles stays stopped: it belongs to a preloaded profiler, which
 * starts the timer again in the program. */
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
    for (char *c = text; *c; c++) /* values with line ends are shown in one line, too */
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = ' ';
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
