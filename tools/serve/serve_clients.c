/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Connects and ends clients. */
#define _GNU_SOURCE 1 /* SYS_pidfd_open */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gpu/futex.h"
#include "gpu/served/served_socket.h"
#include "gpu/served/served_wait.h"
#include "lib/device/tables.h"
#include "lib/session/session.h"
#include "tools/serve/serve.h"

/* A client must report within BEGIN_SECONDS that it has mapped its memory; otherwise the server
 * drops the client. */
enum { MOST_FILES = 4, STEP_MS = 20, BEGIN_SECONDS = 60 };

/* protects the list of clients and the clients in it */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct serve_client *first;
static int count;

/* ---- connecting a client */

static void find_name(pid_t pid, char *name, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    FILE *file = fopen(path, "re");
    snprintf(name, size, "?");
    if (file && fgets(name, (int)size, file))
        name[strcspn(name, "\n")] = '\0';
    if (file)
        fclose(file);
}

static void make_printable(char *name) {
    for (char *p = name; *p; p++)
        *p = *p < ' ' || *p > '~' ? '?' : *p;
}

static bool fill_shared(struct serve_client *c) {
    struct served_shared *s = c->shared;
    if (getrandom(c->token, sizeof c->token, 0) != (ssize_t)sizeof c->token)
        return false;
    s->magic = SERVED_MAGIC;
    s->process = getpid();
    s->begun = served_begun(getpid());
    s->modulus = tables_check_modulus().m;
    memcpy(s->token, c->token, sizeof s->token);
    return true;
}

static void note_lock(struct serve_client *c, bool is_ready) {
    c->locked = malloc(sizeof *c->locked);
    if (c->locked)
        c->locked[c->locks++] =
            (struct serve_lock){.bytes = SERVED_LOCKED_BYTES, .is_ready = is_ready};
}

static struct serve_client *make(pid_t pid, int *file) {
    bool is_locked;
    struct serve_client *c = calloc(1, sizeof *c);
    if (!c || !(c->shared = serve_spares_shared(file, &is_locked))) {
        free(c);
        return NULL;
    }
    c->pid = pid;
    c->came = served_clock();
    c->process = (int)syscall(SYS_pidfd_open, pid, 0);
    find_name(pid, c->name, sizeof c->name);
    make_printable(c->name);
    pthread_rwlock_init(&c->lock, NULL);
    c->region[0] = (struct serve_region){served_host(c->shared), SERVED_HOST_BYTES};
    note_lock(c, is_locked);
    for (unsigned i = 0; i < SERVED_CHANNELS; i++) {
        c->channel[i].client = c;
        c->channel[i].number = i;
    }
    return c;
}

static void free_client(struct serve_client *c) {
    if (c->process >= 0)
        close(c->process);
    serve_memory_release(c->shared);
    pthread_rwlock_destroy(&c->lock);
    for (unsigned i = 0; i < SERVED_CHANNELS; i++)
        free(c->channel[i].use);
    free(c);
}

static void add(struct serve_client *c) {
    c->next = first;
    first = c;
    count++;
}

/* Starts the client's first channel while holding the client's lock: the channel's thread needs
 * this lock to start another channel, so that thread waits until this function returns. */
static bool begin(struct serve_client *c) {
    pthread_rwlock_wrlock(&c->lock);
    bool done = fill_shared(c) && serve_channel_begin(&c->channel[0]);
    pthread_rwlock_unlock(&c->lock);
    return done;
}

static struct serve_client *add_new(pid_t pid, int *file, const char **why) {
    *why = "no memory for another client";
    struct serve_client *c = make(pid, file);
    if (!c)
        return NULL;
    atomic_store(&c->users, 1); /* until serve_clients_lock */
    pthread_mutex_lock(&mutex);
    bool fits = count < SERVE_CLIENTS, done = fits && begin(c);
    if (done) {
        serve_log(2, "client %d (%s) comes", (int)pid, c->name);
        add(c);
    }
    pthread_mutex_unlock(&mutex);
    if (done)
        return c;
    if (!fits)
        *why = "too many clients";
    serve_memory_drop_all(c);
    free_client(c);
    close(*file);
    *file = -1;
    return NULL;
}

/* Adds a client.  Also reopens closed devices, because the client will probably compute soon. */
struct serve_client *serve_clients_add(pid_t pid, int *file, const char **why) {
    *why = "the devices do not open again";
    *file = -1;
    struct serve_client *c = serve_idle_enter() ? add_new(pid, file, why) : NULL;
    if (!c)
        serve_idle_end();
    return c;
}

void serve_clients_lock(struct serve_client *c) {
    serve_memory_lock_first(c);
    serve_clients_leave(c);
    serve_idle_end();
}

bool serve_clients_each(bool (*work)(struct serve_client *c)) {
    bool all = true;
    pthread_mutex_lock(&mutex);
    for (struct serve_client *c = first; c; c = c->next)
        all = work(c) && all;
    pthread_mutex_unlock(&mutex);
    return all;
}

bool serve_clients_have_memory(void) {
    bool any = false;
    pthread_mutex_lock(&mutex);
    for (const struct serve_client *c = first; c && !any; c = c->next)
        any = atomic_load(&c->memory) > 0;
    pthread_mutex_unlock(&mutex);
    return any;
}

struct serve_client *serve_clients_find(const uint64_t token[2], pid_t pid) {
    pthread_mutex_lock(&mutex);
    struct serve_client *c = first;
    while (c && (c->pid != pid || memcmp(c->token, token, sizeof c->token) != 0 ||
                 atomic_load(&c->is_ending)))
        c = c->next;
    if (c)
        atomic_fetch_add(&c->users, 1);
    pthread_mutex_unlock(&mutex);
    return c;
}

void serve_clients_leave(struct serve_client *c) {
    atomic_fetch_sub(&c->users, 1);
}

/* ---- one goes */

static void wake(struct serve_client *c) {
    for (unsigned i = 0; i < SERVED_CHANNELS; i++) {
        futex_wake(&c->shared->channel[i].posted);
        futex_wake(&c->shared->channel[i].served);
    }
}

void serve_clients_end(struct serve_client *c, const char *why) {
    if (atomic_exchange(&c->is_ending, true))
        return;
    if (why) {
        serve_log(1, "client %d (%s) is dropped: %s", (int)c->pid, c->name, why);
        snprintf(c->shared->why, sizeof c->shared->why, "this program was dropped: %s", why);
        atomic_store(&c->shared->is_dropped, 1);
    }
    wake(c);
}

static void remove_client(const struct serve_client *c) {
    pthread_mutex_lock(&mutex);
    struct serve_client **place = &first;
    while (*place != c)
        place = &(*place)->next;
    *place = c->next;
    count--;
    pthread_mutex_unlock(&mutex);
}

/* Releases a client, in a separate thread because it must wait for the device.  Joins the first
 * channel's thread before the others, because only that thread can start other channels. */
static void *take_down(void *argument) {
    struct serve_client *c = argument;
    for (unsigned i = 0; i < SERVED_CHANNELS; i++)
        if (c->channel[i].is_served)
            pthread_join(c->channel[i].thread, NULL);
    while (atomic_load(&c->users) > 0)
        usleep(STEP_MS * 1000);
    serve_idle_block();
    serve_slots_close(c);
    serve_objects_release(c);
    serve_memory_drop_all(c);
    remove_client(c);
    serve_log(2, "client %d (%s) is gone: %" PRIu64 " requests, %" PRIu64 " jobs", (int)c->pid,
              c->name, atomic_load(&c->requests), atomic_load(&c->jobs));
    free_client(c);
    if (serve_clients_count() == 0 && !serve_idle_is_closed())
        session_trim();
    serve_idle_leave();
    return NULL;
}

/* Starts the release of a client that is ending.  The caller holds the list's lock. */
static void begin_take_down(struct serve_client *c) {
    pthread_t thread;
    if (!atomic_load(&c->is_ending) || c->is_taken_down)
        return;
    c->is_taken_down = pthread_create(&thread, NULL, take_down, c) == 0;
    if (c->is_taken_down)
        pthread_detach(thread);
}

/* ---- watching */

/* Returns true if the client has released the robust lock `life` in shared memory, or has executed
 * another program.  The lock's word is 0 until the client takes the lock, then the number of the
 * thread that holds it.  The kernel replaces the number by FUTEX_OWNER_DIED when that thread ends,
 * or at an exec.  If has_watcher is 0, the lock belongs to the thread that has connected, not to a
 * thread of the library.  If that thread no longer exists, no exec has happened, and the process
 * remains a client. */
static bool has_let_go(struct serve_client *c) {
    unsigned word = atomic_load((atomic_uint *)&c->shared->life);
    if (!(word & FUTEX_OWNER_DIED) && (word & FUTEX_TID_MASK)) {
        c->holder = (pid_t)(word & FUTEX_TID_MASK);
        atomic_store(&c->is_begun, true);
        return false;
    }
    if ((word & FUTEX_OWNER_DIED) && c->process >= 0 && !atomic_load(&c->shared->has_watcher)) {
        if (served_begun(c->holder) == 0)
            return false;
        strcpy(c->shared->why, "the thread that has connected is gone");
        atomic_store(&c->shared->is_dropped, 1);
    }
    return atomic_load(&c->is_begun) || (word & FUTEX_OWNER_DIED);
}

static bool has_ended(struct serve_client *c) {
    struct pollfd end = {.fd = c->process, .events = POLLIN};
    if (c->process >= 0 && poll(&end, 1, 0) > 0)
        return true;
    if (c->process < 0 && kill(c->pid, 0) != 0 && errno == ESRCH)
        return true;
    return has_let_go(c);
}

static bool is_late(const struct serve_client *c) {
    return !atomic_load(&c->is_begun) &&
           served_clock() - c->came > BEGIN_SECONDS * INT64_C(1000000000);
}

static void look(void) {
    pthread_mutex_lock(&mutex);
    for (struct serve_client *c = first; c; c = c->next) {
        if (!atomic_load(&c->is_ending) && has_ended(c))
            serve_clients_end(c, NULL);
        else if (is_late(c))
            serve_clients_end(c, "it has not begun");
        begin_take_down(c);
    }
    pthread_mutex_unlock(&mutex);
}

/* Fills all[] with the files and the clients' pidfds for poll.  Returns the number of entries. */
static int gather(struct pollfd *all, const int *files, int file_count) {
    int n = 0;
    for (; n < file_count && n < MOST_FILES; n++)
        all[n] = (struct pollfd){.fd = files[n], .events = POLLIN};
    pthread_mutex_lock(&mutex);
    for (const struct serve_client *c = first; c && n < MOST_FILES + SERVE_CLIENTS; c = c->next)
        if (c->process >= 0 && !c->is_taken_down)
            all[n++] = (struct pollfd){.fd = c->process, .events = POLLIN};
    pthread_mutex_unlock(&mutex);
    return n;
}

/* Waits until a file is readable or a client ends.  Afterwards looks for clients that have left or
 * were dropped. */
bool serve_clients_watch(const int *files, int file_count, int ms) {
    struct pollfd all[MOST_FILES + SERVE_CLIENTS];
    bool is_ready = false;
    int n = gather(all, files, file_count);
    int got = poll(all, (nfds_t)n, ms);
    for (int i = 0; i < file_count && got > 0; i++)
        is_ready = is_ready || all[i].revents;
    look();
    return is_ready;
}

/* ---- all */

int serve_clients_count(void) {
    pthread_mutex_lock(&mutex);
    int now = count;
    pthread_mutex_unlock(&mutex);
    return now;
}

bool serve_clients_has(pid_t pid) {
    pthread_mutex_lock(&mutex);
    const struct serve_client *c = first;
    while (c && (c->pid != pid || atomic_load(&c->is_ending)))
        c = c->next;
    pthread_mutex_unlock(&mutex);
    return c != NULL;
}

void serve_clients_list(char *text, size_t size) {
    size_t at = 0;
    text[0] = '\0';
    pthread_mutex_lock(&mutex);
    for (const struct serve_client *c = first; c && at < size; c = c->next)
        at += (size_t)snprintf(text + at, size - at,
                               "%d %s: %" PRIu64 " requests, %" PRIu64 " jobs, %" PRIu64
                               " MiB in use\n",
                               (int)c->pid, c->name, atomic_load(&c->requests),
                               atomic_load(&c->jobs), atomic_load(&c->memory) >> 20);
    pthread_mutex_unlock(&mutex);
}

void serve_clients_end_all(const char *why, int ms) {
    pthread_mutex_lock(&mutex);
    for (struct serve_client *c = first; c; c = c->next)
        serve_clients_end(c, why);
    pthread_mutex_unlock(&mutex);
    for (; ms > 0 && serve_clients_count() > 0; ms -= STEP_MS)
        serve_clients_watch(NULL, 0, STEP_MS);
}
