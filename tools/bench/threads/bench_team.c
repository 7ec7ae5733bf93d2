/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Starts processes and tells them what to do. */
#include "config.h"

#include "tools/bench/threads/bench_team.h"

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

bool bench_team_find_library(char *path, size_t size) {
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

/* "KEY=more SEPARATOR what the environment has", or the other way round where `more` is last. */
static char *variable(const char *key, const char *more, char separator, bool is_last) {
    const char *old = getenv(key), *first = more, *second = old ? old : "";
    char *text;
    if (is_last)
        first = second, second = more;
    bool both = *first && *second;
    if (asprintf(&text, "%s=%s%.*s%s", key, first, both, &separator, second) < 0)
        return NULL;
    return text;
}

/* What LD_PRELOAD says, without this library. */
static char *preload_of_others(void) {
    char *text = strdup("LD_PRELOAD="), *old = strdup(getenv("LD_PRELOAD") ?: ""), *rest = old;
    for (char *part; text && rest && (part = strsep(&rest, ": "));) {
        char *longer = NULL;
        if (*part && !strstr(part, "libmpgpu-gmp.so") &&
            asprintf(&longer, "%s%s%s", text, strchr(text, '=')[1] ? ":" : "", part) > 0) {
            free(text);
            text = longer;
        }
    }
    free(old);
    return text;
}

/* The environment of clients, to be freed with its first two strings. */
static char **environment(const char *library, const char *conf) {
    size_t count = 0, kept = 2;
    while (environ[count])
        count++;
    char **all = calloc(count + 3, sizeof *all);
    if (!all)
        return NULL;
    all[0] = library ? variable("LD_PRELOAD", library, ':', false) : preload_of_others();
    all[1] = variable("MPGPU_CONF", conf, ',', true);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 && strncmp(environ[i], "MPGPU_CONF=", 11))
            all[kept++] = environ[i];
    return all;
}

/* The descriptor, moved above those that clients are started with: none of them takes its place
 * before it is given to a client.  Negative, with errno, if that cannot be. */
static int moved_up(int descriptor) {
    if (descriptor < 0)
        return descriptor;
    int above = fcntl(descriptor, F_DUPFD_CLOEXEC, BENCH_CLIENT_MEMORY + 1), error = errno;
    close(descriptor);
    errno = error;
    return above;
}

_Static_assert(BENCH_CLIENT_SOCKET < BENCH_CLIENT_MEMORY, "the higher one");

/* Starts client `i`, whose end of the socket is `theirs`. */
static bool start(struct bench_team *team, int i, int theirs, char **environment) {
    char number[16], path[] = "/proc/self/exe", word[] = BENCH_CLIENT_WORD;
    char *arguments[] = {(char[]){"mpgpu-bench"}, word, number, NULL};
    posix_spawn_file_actions_t actions;
    snprintf(number, sizeof number, "%d", i);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, theirs, BENCH_CLIENT_SOCKET);
    posix_spawn_file_actions_adddup2(&actions, team->memory, BENCH_CLIENT_MEMORY);
    errno = posix_spawn(&team->client[i].process, path, &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return errno == 0 || fail("a process");
}

static bool start_all(struct bench_team *team, int count, char **environment) {
    for (int i = 0; i < count; i++) {
        int ends[2];
        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
            return fail("a socket");
        team->client[i].socket = ends[0];
        int theirs = moved_up(ends[1]);
        bool is_started =
            theirs >= 0 ? start(team, i, theirs, environment) : fail("a socket for a process");
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

/* The answer of client `i`, which is there; false after a message if it is an end or says no. */
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

/* An answer of each of the first clients, in the order in which they come: where one has failed,
 * those that wait for it never answer.  False after a message. */
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
                owed[i].fd = -1; /* poll passes it over */
                left--;
            }
    }
    return true;
}

static bool command(struct bench_team *team, char what) {
    char said[BENCH_MOST_CLIENTS];
    for (int i = 0; i < team->working; i++)
        if (send(team->client[i].socket, &what, 1, MSG_NOSIGNAL) != 1) {
            team->has_failed = true;
            return fail("a command");
        }
    return answers(team, team->working, said);
}

bool bench_team_order(struct bench_team *team, int processes, int threads, int call, uint64_t bits,
                      unsigned ratio) {
    struct bench_shared *s = team->shared;
    pthread_barrierattr_t attributes;
    team->working = processes;
    s->call = call, s->bits = bits, s->ratio = ratio, s->threads = threads;
    s->members = processes * threads;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&s->start, &attributes, (unsigned)s->members);
    pthread_barrierattr_destroy(&attributes);
    return command(team, BENCH_ORDER);
}

bool bench_team_round(struct bench_team *team, double seconds, double *rate, long *runs) {
    team->shared->seconds = seconds;
    atomic_store(&team->shared->finished, 0);
    if (!command(team, BENCH_ROUND))
        return false;
    *rate = 0;
    *runs = 0;
    for (int i = 0; i < team->working; i++) {
        *rate += team->shared->share[i].rate;
        *runs += team->shared->share[i].runs;
    }
    return true;
}

bool bench_team_end(struct bench_team *team, int *wrong) {
    if (!command(team, BENCH_END))
        return false;
    *wrong = 0;
    for (int i = 0; i < team->working; i++)
        *wrong += team->shared->share[i].wrong;
    pthread_barrier_destroy(&team->shared->start);
    return true;
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

/* Who the clients are; false after a message if not all are as `library` says. */
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
    *team = (struct bench_team){.memory = -1};
    if (!open_memory(team))
        return fail("shared memory");
    char **all = environment(library, conf);
    bool is_done = all && all[0] && all[1] ? start_all(team, count, all) : fail("processes");
    for (int i = 0; all && i < 2; i++)
        free(all[i]);
    free(all);
    return is_done && meet(team, library);
}

void bench_team_close(struct bench_team *team) {
    for (int i = 0; i < team->count; i++)
        close(team->client[i].socket); /* ends one that waits for a command */
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
