/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The owner of a private server: the program that started it (option server:private).  The server
 * serves only this program and its children, and ends with it.  If the owner executes another
 * program, its process number stays the same.  But exec releases the lock that each client holds
 * (serve_clients.c), so the server notices. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gpu/served/served_socket.h"
#include "tools/serve/serve.h"

enum { LOOK_MS = 250, GRACE_SECONDS = 5, MOST_GENERATIONS = 100 };

static const char *key; /* NULL: the server is not private */
static pid_t owner;
static int process = -1; /* the owner's pidfd; -1 on kernels before 5.3 */
static bool was_client;  /* the owner */

bool serve_owner_set(const char *text) {
    char *end;
    long pid = text ? strtol(text, &end, 10) : 0;
    if (pid <= 0 || pid > INT_MAX || *end != '/' || strlen(text) >= SERVED_KEY)
        return false;
    key = text;
    owner = (pid_t)pid;
    process = (int)syscall(SYS_pidfd_open, owner, 0);
    return true;
}

const char *serve_owner_key(void) {
    return key;
}

int serve_owner_file(void) {
    return process;
}

static bool has_ended(int ms) {
    if (process >= 0)
        return poll(&(struct pollfd){.fd = process, .events = POLLIN}, 1, ms) > 0;
    if (kill(owner, 0) != 0 && errno == ESRCH)
        return true;
    usleep((unsigned)ms * 1000);
    return false;
}

const char *serve_owner_reason_to_end(void) {
    if (!key)
        return NULL;
    bool is_client = serve_clients_has(owner);
    if (has_ended(0))
        return "its program has ended";
    if (was_client && !is_client)
        return "its program has left it";
    was_client |= is_client;
    return NULL;
}

bool serve_owner_allows(pid_t peer) {
    for (int i = 0; key && peer != owner; i++, peer = served_parent(peer))
        if (peer <= 1 || i == MOST_GENERATIONS)
            return false;
    return true;
}

/* Ends the process some seconds after the owner's end.  Usually the main thread ends it earlier,
 * but not while it is inside a driver. */
static void *end_with_owner(void *unused) {
    (void)unused;
    while (!has_ended(LOOK_MS))
        continue;
    sleep(GRACE_SECONDS);
    _exit(0);
}

bool serve_owner_begin(void) {
    pthread_t thread;
    if (!key)
        return true;
    if (pthread_create(&thread, NULL, end_with_owner, NULL) != 0)
        return false;
    pthread_detach(thread);
    return true;
}
