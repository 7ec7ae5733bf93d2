/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Clients of mpgpu-serve that misbehave. Exits with 0 if the server has reacted correctly.
 * Usage: rogue version|strangers|silent|descriptors|channels|idle|slow|shrink|crowd|die|
 *              nonsense|flood [SEED] | trespass KEY PROCESS */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "gpu/futex.h"
#include "gpu/served/served_socket.h"

enum { CROWD = 120, STRANGERS = 20, REQUESTS = 200000, DROP_MS = 10000, SLOW = 8 };

static uint64_t state;

static uint64_t bits(void) {
    uint64_t x = state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static void set_folder(void) {
    char folder[4096];
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    snprintf(folder, sizeof folder, "%s%s/mpgpu-gmp",
             cache  ? cache
             : home ? home
                    : "",
             cache ? "" : "/.cache");
    gpu_set_cache_dir(folder);
}

static struct served_shared *enter(int *file) {
    struct served_hello hello = {.purpose = SERVED_OPEN};
    static struct served_welcome welcome;
    pid_t peer;
    if (served_socket_ask(&hello, &welcome, file, &peer) != GPU_OK || *file < 0) {
        printf("not let in: %s\n", gpu_error_text());
        exit(1);
    }
    void *p = mmap(NULL, SERVED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
    if (p == MAP_FAILED)
        exit(1);
    return p;
}

/* Connects and writes its process number into the lock word, as real clients do to show that
 * they are alive. */
static struct served_shared *join(int *file) {
    struct served_shared *s = enter(file);
    atomic_store((atomic_uint *)&s->life, (unsigned)getpid());
    return s;
}

/* ---- misbehaviour at the socket */

static bool send_raw(const void *message, size_t bytes) {
    pid_t peer;
    int connection = served_socket_connect(&peer);
    if (connection < 0)
        return false;
    served_socket_send(connection, message, bytes, -1);
    close(connection);
    return true;
}

/* Sends a wrong version. The server must refuse it and say why; the long timeout is for busy
 * machines. */
static int wrong_version(void) {
    pid_t peer;
    const struct timeval patience = {.tv_sec = 50};
    int file, connection = served_socket_connect(&peer);
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    struct served_hello hello = {.magic = SERVED_MAGIC, .version = "0.0.0", .purpose = SERVED_OPEN};
    static struct served_welcome welcome;
    if (connection < 0 || !served_socket_send(connection, &hello, sizeof hello, -1) ||
        !served_socket_receive(connection, &welcome, sizeof welcome, &file))
        return 1;
    printf("%s\n", welcome.text);
    return welcome.status == GPU_OK || file >= 0 || !strstr(welcome.text, "version");
}

static int strangers(void) {
    unsigned char message[2 * sizeof(struct served_hello)];
    for (int i = 0; i < STRANGERS; i++) {
        for (size_t k = 0; k < sizeof message; k++)
            message[k] = (unsigned char)bits();
        if (!send_raw(message, i % 2 ? sizeof(struct served_hello) : bits() % sizeof message))
            return 1;
    }
    return 0;
}

static int silent(void) {
    pid_t peer;
    for (int i = 0; i < STRANGERS; i++)
        if (served_socket_connect(&peer) < 0)
            return 1;
    sleep(1);
    return 0;
}

static int count_files(pid_t pid) {
    char path[64];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

/* Sends two descriptors in one message, which a real client never does. */
static void send_two_files(int connection) {
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(2 * sizeof(int))];
    } control = {.room = {0}};
    struct iovec part = {"?", 1};
    struct msghdr all = {.msg_iov = &part,
                         .msg_iovlen = 1,
                         .msg_control = &control,
                         .msg_controllen = sizeof control};
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN(2 * sizeof(int));
    memcpy(CMSG_DATA(&control.head), (int[]){STDOUT_FILENO, STDOUT_FILENO}, 2 * sizeof(int));
    sendmsg(connection, &all, MSG_NOSIGNAL);
}

/* Passes descriptors to the server with two invalid messages. One has no struct served_hello; in
 * the other, this struct has a wrong magic number. */
static pid_t send_files(void) {
    pid_t peer;
    const struct served_hello hello = {.magic = ~SERVED_MAGIC};
    for (int i = 0; i < 2; i++) {
        int connection = served_socket_connect(&peer);
        if (connection < 0)
            exit(1);
        if (i == 0)
            send_two_files(connection);
        else
            served_socket_send(connection, &hello, sizeof hello, STDOUT_FILENO);
        close(connection);
    }
    return peer;
}

/* Checks that the server closes the descriptors that invalid clients pass to it. The count may
 * rise a little, because the server opens files of its own. */
static int descriptors(void) {
    pid_t server = send_files();
    int before = count_files(server);
    for (int i = 0; i < STRANGERS; i++)
        send_files();
    sleep(2);
    int after = count_files(server);
    printf("%d descriptors, then %d\n", before, after);
    return after > before + STRANGERS / 2;
}

/* ---- misbehaviour in the shared memory */

static int shrink(void) {
    int file;
    join(&file);
    return ftruncate(file, 4096) == 0 || ftruncate(file, (off_t)SERVED_BYTES * 2) == 0;
}

/* Asks a private server to end. The request has the right key and the server's process number, but
 * this process is no child of the server's owner. The server must ignore the request. */
static char **given;

static int trespass(void) {
    struct served_hello hello = {.purpose = SERVED_END};
    static struct served_welcome welcome;
    int file;
    pid_t peer;
    if (!given[0] || !given[1])
        return 2;
    gpu_served_be_private();
    served_socket_set_private(given[0], atoi(given[1]));
    enum gpu_status status = served_socket_ask(&hello, &welcome, &file, &peer);
    printf("%s\n", gpu_error_text());
    return status != GPU_FAILED; /* expects GPU_FAILED, a refusal; GPU_ABSENT would mean that no
                                    server was reached */
}

/* Connects CROWD clients to the server. The server's list must have all of them, each in a whole
 * line. */
static int crowd(void) {
    static char text[GPU_SERVED_LIST];
    int file, lines = 0;
    for (int i = 0; i < CROWD; i++) {
        join(&file);
        close(file);
    }
    if (!gpu_served_list(text, sizeof text))
        return 1;
    for (const char *at = text; (at = strstr(at, " MiB in use\n")); at++)
        lines++;
    printf("%d of %d clients in a list of %zu bytes\n", lines, CROWD, strlen(text));
    return lines != CROWD;
}

static void post(struct served_shared *s, const struct served_request *r, unsigned channel) {
    struct served_channel *c = &s->channel[channel];
    unsigned place = atomic_load(&c->posted);
    c->ring[place % SERVED_RING] = *r;
    atomic_store(&c->posted, place + 1);
    atomic_exchange(&c->is_asleep, 0);
    futex_wake(&c->posted);
}

/* Sends valid requests and ends the process while the server works on them. */
static int die(void) {
    int file;
    struct served_shared *s = join(&file);
    for (uint64_t i = 0; i < 8; i++)
        post(s,
             &(struct served_request){.op = SERVED_LOCK,
                                      .a = {0, SERVED_LOCKED_BYTES + (i << 23), 1 << 23}},
             0);
    post(s, &(struct served_request){.op = SERVED_SLOTS, .a = {0, 0}}, 0);
    raise(SIGKILL);
    return 1;
}

static uint64_t some_number(void) {
    switch (bits() % 4) {
    case 0:
        return bits() % 4;
    case 1:
        return bits() % SERVED_BYTES;
    case 2:
        return ~(bits() % 4096);
    default:
        return bits() >> bits() % 64;
    }
}

static int await_drop(const struct served_shared *s, int most) {
    for (int ms = 0; ms < most; ms += 10) {
        if (atomic_load(&s->is_dropped)) {
            printf("%s\n", s->why);
            return 0;
        }
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    return 1;
}

static int nonsense(void) {
    int file;
    struct served_shared *s = join(&file);
    for (int i = 0; i < REQUESTS && !atomic_load(&s->is_dropped); i++) {
        struct served_request r = {.op = bits() % (SERVED_OPS + 1)};
        r.op = r.op == SERVED_LEAVE ? SERVED_UNLOCK : r.op;
        for (int k = 0; k < 3; k++)
            r.a[k] = some_number();
        post(s, &r, 0);
    }
    return await_drop(s, DROP_MS);
}

/* Requests a channel (a queue of requests) by a request in another channel than the first. The
 * server must refuse this: otherwise the new channel could begin after the client's end. */
static int channels(void) {
    int file;
    struct served_shared *s = join(&file);
    post(s, &(struct served_request){.op = SERVED_CHANNEL, .a = {2}}, 0);
    post(s, &(struct served_request){.op = SERVED_CHANNEL, .a = {1}}, 2);
    return await_drop(s, DROP_MS);
}

/* Connects, but never sends the first request: the server must drop the client, so that it
 * occupies no place for ever. */
static int idle(void) {
    int file;
    return await_drop(enter(&file), 12 * DROP_MS);
}

/* Connects and waits some seconds before the first request: the server must still serve it. */
static int slow(void) {
    int file;
    struct served_shared *s = enter(&file);
    sleep(SLOW);
    atomic_store((atomic_uint *)&s->life, (unsigned)getpid());
    post(s, &(struct served_request){.op = SERVED_CHANNEL}, 0);
    for (int ms = 0; ms < DROP_MS && atomic_load(&s->channel[0].served) == 0; ms += 10)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    return atomic_load(&s->is_dropped) || atomic_load(&s->channel[0].served) != 1;
}

/* Overwrites all channels in the shared memory with random words, again and again. Leaves the
 * fields outside the channels unchanged, because they signal the client's end. */
static int flood(void) {
    int file;
    struct served_shared *s = join(&file);
    for (int i = 0; i < 2000 && !atomic_load(&s->is_dropped); i++) {
        char *at = (char *)&s->channel[0];
        for (size_t k = 0; k + 8 <= sizeof s->channel; k += 8)
            memcpy(at + k, &(uint64_t){bits()}, 8);
        atomic_store(&s->channel[0].is_asleep, 0);
        futex_wake(&s->channel[0].posted);
    }
    return await_drop(s, DROP_MS);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int (*run)(void);
    } modes[] = {{"version", wrong_version},
                 {"strangers", strangers},
                 {"silent", silent},
                 {"descriptors", descriptors},
                 {"channels", channels},
                 {"idle", idle},
                 {"slow", slow},
                 {"shrink", shrink},
                 {"crowd", crowd},
                 {"die", die},
                 {"nonsense", nonsense},
                 {"flood", flood},
                 {"trespass", trespass}};
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    set_folder();
    given = argv + 2;
    for (size_t i = 0; i < sizeof modes / sizeof *modes && argc > 1; i++)
        if (strcmp(argv[1], modes[i].name) == 0)
            return modes[i].run();
    fputs("usage: rogue "
          "version|strangers|silent|descriptors|channels|idle|slow|shrink|crowd|die|nonsense|"
          "flood [SEED], rogue trespass KEY PROCESS\n",
          stderr);
    return 2;
}
