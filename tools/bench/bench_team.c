/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Starts the processes of the mode threads, and sends them commands. */
#include "config.h"

#include "tools/bench/bench_threads.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/bench/bench.h"

extern char **environ;

static const char name[] = "libmpgpu-gmp.so.0";

static bool fail(const char *what) {
    fprintf(stderr, "mpgpu-bench: threads: %s: %s\n", what, strerror(errno));
    return false;
}

/* ---- the library */

static bool is_there(char *path, size_t size, const char *folder, const char *below) {
    int length = snprintf(path, size, "%s%s/%s", folder, below, name);
    return length > 0 && (size_t)length < size && access(path, R_OK) == 0;
}

bool bench_find_library(char *path, size_t size) {
    char here[4096];
    ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    here[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(here, '/');
    if (slash)
        *slash = '\0';
    if (!is_there(path, size, here, "/../.libs") && !is_there(path, size, here, "/../lib") &&
        !is_there(path, size, LIBDIR, ""))
        return fail(path);
    if (!strpbrk(path, " :"))
        return true;
    fprintf(stderr, "mpgpu-bench: %s: LD_PRELOAD cannot hold a path with blanks or colons\n", path);
    return false;
}

/* ---- processes */

/* Returns the entries of LD_PRELOAD without this library, as a new string. */
static char *preload_of_others(void) {
    char *text = strdup(""), *old = strdup(getenv("LD_PRELOAD") ?: ""), *rest = old;
    for (char *part; text && rest && (part = strsep(&rest, ": "));) {
        char *longer = NULL;
        if (*part && !strstr(part, "libmpgpu-gmp.so") &&
            asprintf(&longer, "%s%s%s", text, *text ? ":" : "", part) > 0) {
            free(text);
            text = longer;
        }
    }
    free(old);
    return text;
}

/* Sets this process's LD_PRELOAD and MPGPU_CONF to the values that clients must inherit.  before[]
 * receives the old values, which the caller frees. */
static bool set_environment(const char *library, const char *conf, char *before[2]) {
    const char *old = getenv("LD_PRELOAD"), *old_conf = getenv("MPGPU_CONF");
    char *preload = NULL, *options = NULL;
    before[0] = strdup(old ? old : ""), before[1] = strdup(old_conf ? old_conf : "");
    if (!library)
        preload = preload_of_others();
    else if (asprintf(&preload, "%s%s%s", library, *before[0] ? ":" : "", before[0]) < 0)
        preload = NULL;
    if (asprintf(&options, "%s%s%s", before[1], *before[1] && *conf ? "," : "", conf) < 0)
        options = NULL;
    bool is_set = preload && options && setenv("LD_PRELOAD", preload, 1) == 0 &&
                  setenv("MPGPU_CONF", options, 1) == 0;
    free(preload);
    free(options);
    return is_set;
}

/* Moves a descriptor above the numbers that clients expect, so that dup2 for a client does not
 * close it.  Returns the new descriptor, or -1 with errno. */
static int moved_up(int descriptor) {
    if (descriptor < 0)
        return descriptor;
    int above = fcntl(descriptor, F_DUPFD_CLOEXEC, BENCH_CLIENT_MEMORY + 1), error = errno;
    close(descriptor);
    errno = error;
    return above;
}

_Static_assert(BENCH_CLIENT_SOCKET < BENCH_CLIENT_MEMORY, "the higher one");

/* Starts client `i`.  `theirs` is the client's socket of the socket pair. */
static bool start(struct bench_team *team, int i, int theirs) {
    char number[16], path[] = "/proc/self/exe", word[] = BENCH_CLIENT_WORD;
    char *arguments[] = {(char[]){"mpgpu-bench"}, word, number, NULL};
    posix_spawn_file_actions_t actions;
    snprintf(number, sizeof number, "%d", i);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs, BENCH_CLIENT_SOCKET);
    posix_spawn_file_actions_adddup2(&actions, team->memory, BENCH_CLIENT_MEMORY);
    errno = posix_spawn(&team->client[i].process, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return errno == 0 || fail("a process");
}

static bool start_all(struct bench_team *team, int count) {
    for (int i = 0; i < count; i++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            return fail("a socket");
        team->client[i].socket = ends[0];
        int theirs = moved_up(ends[1]);
        bool is_started = theirs >= 0 ? start(team, i, theirs) : fail("a socket for a process");
        if (theirs >= 0)
            close(theirs);
        if (!is_started) {
            close(ends[0]);
            return false;
        }
        team->count++;
    }
    return true;
}

/* ---- commands */

/* Reads the answer of client `i`, whose socket is readable.  Prints a message and returns false if
 * the client has ended or failed. */
static bool answer(struct bench_team *team, int i, char *said) {
    ssize_t got;
    while ((got = read(team->client[i].socket, said, 1)) < 0 && errno == EINTR)
        ;
    if (got == 1 && *said != BENCH_FAILED_TO)
        return true;
    fprintf(stderr, "mpgpu-bench: threads: process %ld has failed\n",
            (long)team->client[i].process);
    team->has_failed = true;
    return false;
}

/* Reads one answer from each of the first `count` clients, in order of arrival.  Prints a message
 * and returns false if a client has failed, because the other clients then wait for it and never
 * answer. */
static bool answers(struct bench_team *team, int count, char said[BENCH_MOST_CLIENTS]) {
    struct pollfd owed[BENCH_MOST_CLIENTS];
    for (int i = 0; i < count; i++)
        owed[i] = (struct pollfd){.fd = team->client[i].socket, .events = POLLIN};
    for (int left = count; left > 0;) {
        int ready;
        while ((ready = poll(owed, (nfds_t)count, -1)) < 0 && errno == EINTR)
            ;
        if (ready < 0) {
            team->has_failed = true;
            return fail("answers");
        }
        for (int i = 0; i < count; i++)
            if (owed[i].revents) {
                if (!answer(team, i, &said[i]))
                    return false;
                owed[i].fd = -1; /* poll ignores negative descriptors */
                left--;
            }
    }
    return true;
}

static bool command(struct bench_team *team, char what) {
    const int working = team->shared->order.processes;
    char said[BENCH_MOST_CLIENTS];
    for (int i = 0; i < working; i++)
        if (send(team->client[i].socket, &what, 1, MSG_NOSIGNAL) != 1) {
            team->has_failed = true;
            return fail("a command");
        }
    return answers(team, working, said);
}

bool bench_team_order(struct bench_team *team, const struct bench_order *order) {
    struct bench_shared *s = team->shared;
    pthread_barrierattr_t attributes;
    s->order = *order;
    s->members = order->processes * order->threads;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&s->start, &attributes, (unsigned)s->members);
    pthread_barrierattr_destroy(&attributes);
    return command(team, BENCH_ORDER);
}

bool bench_team_round(struct bench_team *team, double seconds, double *rate, long *runs) {
    struct bench_shared *s = team->shared;
    s->seconds = seconds;
    atomic_store(&s->finished, 0);
    if (!command(team, BENCH_ROUND))
        return false;
    *rate = 0;
    *runs = 0;
    for (int i = 0; i < s->order.processes; i++) {
        *rate += s->share[i].rate;
        *runs += s->share[i].runs;
    }
    return true;
}

bool bench_team_end(struct bench_team *team) {
    bool is_done = command(team, BENCH_END);
    if (is_done)
        pthread_barrier_destroy(&team->shared->start);
    return is_done;
}

/* ---- a team */

static bool open_memory(struct bench_team *team) {
    size_t size = sizeof *team->shared;
    team->memory = moved_up(memfd_create("mpgpu-bench", MFD_CLOEXEC));
    if (team->memory < 0 || ftruncate(team->memory, (off_t)size) != 0)
        return false;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, team->memory, 0);
    team->shared = memory == MAP_FAILED ? NULL : memory;
    return team->shared != NULL;
}

/* Reads from each client whether GMP alone or the library computes there.  If `library` is not
 * NULL, all clients must use it, otherwise none.  Prints a message and returns false if a client
 * does not. */
static bool meet(struct bench_team *team, const char *library) {
    char said[BENCH_MOST_CLIENTS];
    int alone = 0, with_device = 0;
    if (!answers(team, team->count, said))
        return false;
    for (int i = 0; i < team->count; i++) {
        alone += said[i] == BENCH_GMP_ALONE;
        with_device += said[i] == BENCH_WITH_DEVICE;
    }
    team->has_device = with_device == team->count;
    if (with_device > 0 && !team->has_device)
        fprintf(stderr, "mpgpu-bench: threads: only %d of %d processes have a device\n",
                with_device, team->count);
    if (alone == (library ? 0 : team->count))
        return true;
    fprintf(stderr, "mpgpu-bench: threads: a process %s the library: %s\n",
            library ? "came up without" : "that is to use GMP alone has", library ? library : name);
    return false;
}

bool bench_team_open(struct bench_team *team, int count, const char *library, const char *conf) {
    char *before[2] = {NULL, NULL};
    *team = (struct bench_team){.memory = -1};
    if (!open_memory(team))
        return fail("shared memory");
    bool is_done = set_environment(library, conf, before) ? start_all(team, count) : fail("memory");
    for (int i = 0; i < 2; i++) {
        if (before[i])
            setenv(i == 0 ? "LD_PRELOAD" : "MPGPU_CONF", before[i], 1);
        free(before[i]);
    }
    return is_done && meet(team, library);
}

void bench_team_close(struct bench_team *team) {
    for (int i = 0; i < team->count; i++)
        close(team->client[i].socket); /* ends the client: it exits when its socket is closed */
    for (int i = 0; i < team->count; i++) {
        if (team->has_failed)
            kill(team->client[i].process, SIGKILL);
        waitpid(team->client[i].process, NULL, 0);
    }
    if (team->shared)
        munmap(team->shared, sizeof *team->shared);
    if (team->memory >= 0)
        close(team->memory);
}
