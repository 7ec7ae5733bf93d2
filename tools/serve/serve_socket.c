/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The server's socket and the requests that arrive there.  Each connection has its own short-lived
 * thread, so that a process that sends nothing delays no other. */
#define _GNU_SOURCE 1 /* accept4 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "gpu/served/served_socket.h"
#include "tools/serve/serve.h"

enum {
    FIRST_PASSED = 3,
    BACKLOG = 128,
    MOST_ASKING = 64,
    HELLO_SECONDS = 2,
    STEP_MS = 10,
    FULL_MS = 100
};

/* the socket's file; "" if systemd made it, or if the server is private */
static char path[SERVED_PATH];
static struct stat made; /* the status of the socket's file when this server created the file */
static atomic_int asking;
static atomic_bool is_ended;
static const char *_Atomic refusal; /* NULL, or the reason why all clients are refused */

/* ---- opening */

/* Returns true if systemd has passed descriptor 3 to this process. */
static bool is_passed(void) {
    const char *pid = getenv("LISTEN_PID"), *files = getenv("LISTEN_FDS");
    return pid && files && atoi(pid) == (int)getpid() && atoi(files) >= 1;
}

/* Locks the folder of the socket, so that only one server at a time replaces the socket of a dead
 * server.  Returns -1 on failure. */
static int lock_folder(void) {
    char folder[SERVED_PATH];
    strcpy(folder, path);
    *strrchr(folder, '/') = '\0';
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0)
        flock(file, LOCK_EX);
    return file;
}

/* Returns true if another server runs.  Sends it a message, but waits for no answer, because that
 * server may be stopped. */
static bool another_runs(void) {
    const struct served_hello look = {.magic = SERVED_MAGIC, .purpose = SERVED_LOOK};
    pid_t pid;
    int connection = served_socket_connect(&pid);
    if (connection < 0)
        /* EAGAIN: the other server's queue of connections is full, because too many programs wait
         * for an answer. EPERM: the other server is outside of this container. */
        return errno == EAGAIN || errno == EPERM;
    served_socket_send(connection, &look, sizeof look, -1);
    close(connection);
    serve_log(2, "%s: process %d serves", path, (int)pid);
    return true;
}

/* Opens a socket and listens at the address.  `name` is used in the log. */
static int listen_at(const struct sockaddr_un *address, socklen_t size, const char *name) {
    int file = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool done = file >= 0 && bind(file, (const struct sockaddr *)address, size) == 0 &&
                listen(file, BACKLOG) == 0 && (!*path || stat(path, &made) == 0);
    if (done)
        return file;
    serve_log(1, "%s: %s", name, strerror(errno));
    if (file >= 0)
        close(file);
    return -1;
}

static int open_private(const char *key) {
    struct sockaddr_un address;
    socklen_t size = served_socket_private(key, &address);
    return listen_at(&address, size, key);
}

int serve_socket_open(bool *runs) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    *runs = false;
    if (serve_owner_key())
        return open_private(serve_owner_key());
    if (is_passed()) {
        fcntl(FIRST_PASSED, F_SETFD, FD_CLOEXEC);
        fcntl(FIRST_PASSED, F_SETFL, O_NONBLOCK);
        return FIRST_PASSED;
    }
    if (!served_socket_path(path, true)) {
        serve_log(1, "%s", gpu_error_text());
        return -1;
    }
    int lock = lock_folder(), file = -1;
    *runs = lock >= 0 && another_runs();
    strcpy(address.sun_path, path);
    if (lock >= 0 && !*runs) {
        unlink(path);
        file = listen_at(&address, sizeof address, path);
    }
    if (lock >= 0)
        close(lock);
    return file;
}

bool serve_socket_is_there(int file) {
    struct stat now;
    (void)file;
    return !*path ||
           (stat(path, &now) == 0 && now.st_ino == made.st_ino && now.st_dev == made.st_dev);
}

void serve_socket_close(int file) {
    if (*path && serve_socket_is_there(file))
        unlink(path);
    close(file);
}

bool serve_socket_is_ended(void) {
    return atomic_load(&is_ended);
}

/* ---- asking */

bool serve_socket_same_version(const char version[32], const char build[sizeof gpu_images_id],
                               char *text, size_t size) {
    bool same = strncmp(version, PACKAGE_VERSION, 32) == 0 &&
                memcmp(build, gpu_images_id, sizeof gpu_images_id) == 0;
    if (!same)
        snprintf(text, size, "it is version " PACKAGE_VERSION ", or of another build");
    return same;
}

static bool same_version(const struct served_hello *h, struct served_welcome *w) {
    return serve_socket_same_version(h->version, h->build, w->text, sizeof w->text);
}

static bool compares_visible;

void serve_socket_compare_visible(void) {
    compares_visible = true;
}

/* Returns NULL, or the reason why this client is refused. */
static const char *refuses(const struct served_hello *h, struct served_welcome *w) {
    w->sees_others = compares_visible && h->visible != served_visible();
    if (w->sees_others)
        return "variables such as CUDA_VISIBLE_DEVICES differ from the variables it was started "
               "with";
    return atomic_load(&refusal);
}

static int open_client(pid_t peer, const struct served_hello *h, struct served_welcome *w,
                       struct serve_client **new) {
    int file;
    const char *why = refuses(h, w);
    *new = why ? NULL : serve_clients_add(peer, &file, &why);
    if (!*new) {
        snprintf(w->text, sizeof w->text, "%s", why);
        return -1;
    }
    memcpy(w->token, (*new)->token, sizeof w->token);
    serve_devices_offer(w);
    w->status = GPU_OK;
    return file;
}

static int open_region(pid_t peer, const struct served_hello *h, struct served_welcome *w) {
    struct serve_client *c = serve_clients_find(h->token, peer);
    if (!c) {
        snprintf(w->text, sizeof w->text, "this process is no client");
        return -1;
    }
    int file = serve_memory_region(c, h->bytes, &w->region);
    serve_clients_leave(c);
    if (file >= 0)
        w->status = GPU_OK;
    else
        snprintf(w->text, sizeof w->text, "no memory for a region");
    return file;
}

/* Returns a descriptor of device memory that a client shares, or -1 with an error in *w.  Devices
 * stay open while a client has device memory. */
static int share(pid_t peer, const struct served_hello *h, struct served_welcome *w) {
    struct serve_client *c = serve_clients_find(h->token, peer);
    int file = c ? serve_objects_share(c, h->object) : -1;
    if (c)
        serve_clients_leave(c);
    if (file >= 0)
        w->status = GPU_OK;
    else
        snprintf(w->text, sizeof w->text, "%s%s",
                 c ? "this device memory cannot be shared: " : "this process is no client",
                 c ? gpu_error_text() : "");
    return file;
}

/* Writes a line for each device, then a line for each client. */
static void list(char *text, size_t size) {
    serve_devices_list(text, size - 1);
    size_t at = strlen(text);
    text[at++] = '\n';
    serve_clients_list(text + at, size - at);
}

static void look(struct served_welcome *w) {
    const char *why = atomic_load(&refusal);
    if (why)
        snprintf(w->text, sizeof w->text, "%s", why);
    else
        w->status = GPU_OK;
}

/* Executes a request.  Returns the descriptor to send with the answer, or -1.  Sets *new to a
 * client that it has added, or NULL. */
static int carry_out(pid_t peer, const struct served_hello *h, struct served_welcome *w,
                     struct serve_client **new) {
    *new = NULL;
    switch (h->purpose) {
    case SERVED_OPEN:
        return same_version(h, w) ? open_client(peer, h, w, new) : -1;
    case SERVED_REGION:
        return same_version(h, w) ? open_region(peer, h, w) : -1;
    case SERVED_SHARE:
        return same_version(h, w) ? share(peer, h, w) : -1;
    case SERVED_LIST:
        w->status = GPU_OK;
        list(w->text, sizeof w->text);
        return -1;
    case SERVED_LOOK:
        look(w);
        return -1;
    case SERVED_END:
        w->status = GPU_OK;
        return -1;
    default:
        snprintf(w->text, sizeof w->text, "it does not know this request");
        return -1;
    }
}

/* Receives one request and answers it.  Returns a client that it has added, or NULL. */
static struct serve_client *answer(int connection) {
    struct served_hello hello;
    struct served_welcome welcome = {.magic = SERVED_MAGIC,
                                     .version = PACKAGE_VERSION,
                                     .status = GPU_ABSENT,
                                     .process = getpid()};
    const struct timeval time = {.tv_sec = HELLO_SECONDS};
    struct serve_client *new = NULL;
    int none, file = -1;
    pid_t peer = served_socket_peer(connection);
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
    bool is_heard = peer != 0 && serve_owner_allows(peer) &&
                    served_socket_receive(connection, &hello, sizeof hello, &none);
    if (is_heard && none >= 0)
        close(none); /* clients do not send descriptors */
    if (is_heard && hello.magic == SERVED_MAGIC) {
        file = carry_out(peer, &hello, &welcome, &new);
        served_socket_send(connection, &welcome, sizeof welcome, file);
        /* sets is_ended after the answer was sent: the main thread then ends the process */
        if (hello.purpose == SERVED_END)
            atomic_store(&is_ended, true);
    } else {
        serve_log(1, "process %d says nothing that a client says", (int)peer);
    }
    if (file >= 0)
        close(file);
    return new;
}

/* Answers a connection, then page-locks a new client's memory.  Other processes can connect during
 * that time. */
static void *answer_one(void *argument) {
    int connection = (int)(intptr_t)argument;
    struct serve_client *new = answer(connection);
    close(connection);
    atomic_fetch_sub(&asking, 1);
    if (new)
        serve_clients_lock(new);
    return NULL;
}

/* Sleeps if no descriptor is free.  The waiting connection keeps the socket readable, so polling it
 * at once would be a busy loop. */
static void wait_for_descriptors(void) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
        usleep(FULL_MS * 1000);
}

void serve_socket_accept(int file) {
    int connection;
    pthread_t thread;
    while ((connection = accept4(file, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        bool few = atomic_fetch_add(&asking, 1) < MOST_ASKING;
        if (few && pthread_create(&thread, NULL, answer_one, (void *)(intptr_t)connection) == 0) {
            pthread_detach(thread);
            continue;
        }
        atomic_fetch_sub(&asking, 1);
        close(connection);
    }
    wait_for_descriptors();
}

/* Refuses all processes that are waiting for a connection, for HELLO_SECONDS at most.  Otherwise
 * they would wait for ever, or systemd would start the server again for them. */
void serve_socket_refuse(int file, const char *why) {
    atomic_store(&refusal, why);
    serve_socket_accept(file);
    for (int ms = 0; ms < HELLO_SECONDS * 1000 && atomic_load(&asking) > 0; ms += STEP_MS)
        usleep(STEP_MS * 1000);
    serve_socket_close(file);
}
