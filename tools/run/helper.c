/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Runs other programs of this package before mpgpu-run executes the user's program. */
#include "config.h"

#include "tools/run/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/run/say.h"

extern char **environ;

enum { PATHS = 1 << 16 }; /* maximum bytes of an LD_LIBRARY_PATH */

/* Waits for a child.  Returns true if it has ended with status 0. */
static bool succeeds(pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void read_all(int file, char *text, size_t size) {
    size_t used = 0;
    ssize_t n;
    while (used + 1 < size && (n = read(file, text + used, size - 1 - used)) != 0) {
        if (n < 0 && errno != EINTR)
            break;
        used += n > 0 ? (size_t)n : 0;
    }
    text[used] = '\0';
}

/* Starts a program without input.  `output` becomes its standard output and is closed here.
 * Returns the child, or -1 with errno. */
static pid_t start(char *const *words, int output) {
    pid_t child;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    int error = posix_spawnp(&child, words[0], &files, NULL, words, environ);
    posix_spawn_file_actions_destroy(&files);
    close(output);
    errno = error;
    return error ? -1 : child;
}

/* Resets SIGCHLD.  If the parent of mpgpu-run has started it with SIGCHLD ignored, the kernel would
 * not keep a child's exit status.  `before` receives the old action. */
static void keep_status(struct sigaction *before) {
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, before);
}

/* Writes to `path` the path of the program `name` in mpgpu-run's folder.  If the program is not
 * there, writes only its name, so that it is searched in PATH. */
static void find_beside(const struct run_library *library, const char *name,
                        char path[PATH_MAX + 16]) {
    snprintf(path, PATH_MAX + 16, "%s/%s", library->here, name);
    if (access(path, X_OK) != 0)
        strcpy(path, name);
}

void run_helper_require_device(const struct run_library *library, const char *conf) {
    char beside[PATH_MAX + 16], output[1024] = "";
    char *words[] = {beside, (char *)"--device", NULL};
    const char *given = getenv("MPGPU_CONF");
    find_beside(library, "mpgpu-info", beside);
    if (conf)
        setenv("MPGPU_CONF", conf, 1);
    bool has_device = run_helper_output(words, output, sizeof output);
    output[strcspn(output, "\n")] = '\0';
    if (!has_device)
        run_fail(RUN_FAILED, "--require-device: %s", *output ? output : "mpgpu-info does not run");
    if (!given)
        unsetenv("MPGPU_CONF");
}

void run_helper_serve(const struct run_library *library, const char *conf) {
    char beside[PATH_MAX + 16];
    char *words[] = {beside, NULL};
    const char *given = getenv("MPGPU_CONF");
    struct sigaction before;
    find_beside(library, "mpgpu-serve", beside);
    if (conf)
        setenv("MPGPU_CONF", conf, 1);
    keep_status(&before);
    pid_t child = start(words, open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (child < 0)
        run_say("--serve: mpgpu-serve: %s; GMP computes", strerror(errno));
    else if (!succeeds(child))
        run_say("--serve: no server; GMP computes");
    sigaction(SIGCHLD, &before, NULL);
    if (!given)
        unsetenv("MPGPU_CONF");
}

bool run_helper_output(char *const *words, char *output, size_t size) {
    int ends[2];
    struct sigaction before;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    keep_status(&before);
    pid_t child = start(words, ends[1]);
    if (child >= 0)
        read_all(ends[0], output, size);
    close(ends[0]);
    bool done = child >= 0 && succeeds(child);
    sigaction(SIGCHLD, &before, NULL);
    return done;
}

/* Runs mpgpu-replace without LD_LIBRARY_PATH, and copies the line that it prints to `output`.
 * Returns false if mpgpu-replace fails; it has then printed the reason. */
static bool ask_replacer(char *const *words, char output[PATHS]) {
    unsetenv("LD_LIBRARY_PATH");
    bool done = run_helper_output(words, output, PATHS);
    output[strcspn(output, "\n")] = '\0';
    return done;
}

bool run_helper_replace(const struct run_library *library, const char *path) {
    static char folder[PATH_MAX + 32], stand_in[sizeof folder + 16], replacer[PATH_MAX + 32];
    static char output[PATHS];
    const char *given = getenv("LD_LIBRARY_PATH");
    char *before = given ? strdup(given) : NULL;
    char *words[] = {replacer, folder, (char *)path, before ? before : (char *)"", NULL};
    snprintf(folder, sizeof folder, "%s/mpgpu-gmp/replace", library->folder);
    snprintf(stand_in, sizeof stand_in, "%s/libgmp.so.10", folder);
    snprintf(replacer, sizeof replacer, "%s/mpgpu-gmp/mpgpu-replace", library->folder);
    if (access(replacer, X_OK) != 0)
        snprintf(replacer, sizeof replacer, "%s/mpgpu-replace", library->here);
    bool is_there = access(replacer, X_OK) == 0 && access(stand_in, F_OK) == 0;
    if (!is_there)
        run_say("--replace: %s: not found; the program runs with GMP alone", folder);
    bool done = is_there && ask_replacer(words, output);
    if (done)
        setenv("LD_LIBRARY_PATH", output, 1);
    else if (before)
        setenv("LD_LIBRARY_PATH", before, 1);
    free(before);
    return done;
}
