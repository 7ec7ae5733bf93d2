/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The server's socket. The socket preserves message boundaries. Calls socket functions by system
 * call number, because libc functions would cost a symbol lookup at every program's start. */
#define _GNU_SOURCE 1 /* struct ucred */
#include "config.h"

#include "gpu/served/served_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "gpu/cache.h"
#include "gpu/error.h"
#include "gpu/folder.h"

/* Microseconds to wait for an answer to SERVED_OPEN, SERVED_LIST or SERVED_END, because a server
 * that was just started opens its devices first. */
enum { OPEN_US = 20000000 };

#define HASH_BASE UINT64_C(0xcbf29ce484222325)

/* Adds a text and a separator to an FNV-1a hash. */
static uint64_t add_text(uint64_t hash, const char *text) {
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

/* Returns a hash of the host's name for the folder of the socket. Several hosts may share the
 * cache's folder, but not a socket. */
static unsigned hash_host(void) {
    struct utsname host;
    return uname(&host) == 0 ? (unsigned)add_text(HASH_BASE, host.nodename) : 0;
}

/* Finds the socket's folder; its name has no slash at the end. */
static bool find_folder(char *folder, size_t size) {
    char cache[4096], name[32] = "mpgpu";
    const char *runtime = getenv("XDG_RUNTIME_DIR"), *within = NULL;
    bool is_runtime = runtime && *runtime == '/';
    if (!is_runtime)
        snprintf(name, sizeof name, "serve-%08x", hash_host());
    if (is_runtime)
        within = runtime;
    else if (cache_get_dir(cache, sizeof cache) && *cache == '/')
        within = cache;
    if (!within)
        gpu_fail(GPU_ABSENT, "no folder for the socket of mpgpu-serve");
    else if ((size_t)snprintf(folder, size, "%s/%s", within, name) < size)
        return true;
    else
        gpu_fail(GPU_ABSENT, "%s is too long for the socket of mpgpu-serve: at most %zu bytes",
                 within, size - sizeof "/mpgpu");
    return false;
}

/* Returns true if root would create the folder inside another user's folder: a program that root
 * runs with a user's environment must not do this. */
static bool is_anothers(const char *folder) {
    char path[SERVED_PATH];
    struct stat status;
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash; stat(path, &status) != 0 && (slash = strrchr(path, '/'));)
        *(slash > path ? slash : path + 1) = '\0';
    return geteuid() == 0 && status.st_uid != 0;
}

/* `make`: the folder was to be made. */
static bool is_own_folder(const char *folder, bool make) {
    struct stat status;
    if (fstatat(AT_FDCWD, folder, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        gpu_fail(GPU_ABSENT, "%s: %s: %s",
                 make ? "no folder for the socket" : "no mpgpu-serve runs", folder,
                 strerror(errno));
        return false;
    }
    if (S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
        !(status.st_mode & (S_IRWXG | S_IRWXO)))
        return true;
    gpu_fail(GPU_ABSENT, "%s is not a folder of this user alone", folder);
    return false;
}

bool served_socket_path(char *path, bool make) {
    char folder[SERVED_PATH - sizeof "/serve-" PACKAGE_VERSION];
    if (!find_folder(folder, sizeof folder))
        return false;
    if (make && !is_anothers(folder))
        folder_make(folder);
    if (!is_own_folder(folder, make))
        return false;
    snprintf(path, SERVED_PATH, "%s/serve-" PACKAGE_VERSION, folder);
    return true;
}

/* ---- a private server */

static struct {
    bool is_wanted;
    char key[SERVED_KEY];
    /* The private server's process; 0: none was started. It is set after `key`: if another thread
     * forks between the two, the child sees no server. */
    atomic_int pid;
} own;

void gpu_served_be_private(void) {
    own.is_wanted = true;
}

bool served_socket_is_private(void) {
    return own.is_wanted;
}

void served_socket_set_private(const char *key, pid_t pid) {
    snprintf(own.key, sizeof own.key, "%s", key);
    atomic_store(&own.pid, pid);
}

unsigned served_socket_private(const char *key, struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1,
                          "mpgpu-serve-" PACKAGE_VERSION "/%s", key);
    return (unsigned)offsetof(struct sockaddr_un, sun_path) + 1 + (unsigned)length;
}

/* ---- connecting */

/* Sets *address to the address of the server that this process may use. Returns its size; 0 if
 * there is none. */
static unsigned find_address(struct sockaddr_un *address) {
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (!own.is_wanted)
        return served_socket_path(address->sun_path, false) ? sizeof *address : 0;
    if (atomic_load(&own.pid) != 0)
        return served_socket_private(own.key, address);
    gpu_fail(GPU_ABSENT, "no mpgpu-serve of this program's own runs");
    return 0;
}

/* Returns true if `peer` is the expected server. After a private server has ended, another
 * process may use its address. */
static bool is_right(pid_t peer) {
    return peer > 0 && (!own.is_wanted || peer == atomic_load(&own.pid));
}

pid_t served_socket_peer(int connection) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (syscall(SYS_getsockopt, connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return 0;
    return peer.uid == geteuid() && peer.pid > 0 ? peer.pid : 0;
}

static void set_time(int connection, int option, int64_t us) {
    const struct timeval time = {us / 1000000, us % 1000000};
    syscall(SYS_setsockopt, connection, SOL_SOCKET, option, &time, sizeof time);
}

int served_file_move(int file) {
    const int moved = file >= 0 ? fcntl(file, F_DUPFD_CLOEXEC, SERVED_FIRST_FILE) : -1;
    if (moved < 0)
        return file;
    close(file);
    return moved;
}

int served_socket_connect(pid_t *peer) {
    struct sockaddr_un address;
    unsigned size = find_address(&address);
    if (size == 0) {
        errno = 0;
        return -1;
    }
    int connection =
        served_file_move((int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    set_time(connection, SO_SNDTIMEO, SERVED_ANSWER_US);
    set_time(connection, SO_RCVTIMEO, SERVED_ANSWER_US);
    const bool is_connected =
        connection >= 0 && syscall(SYS_connect, connection, &address, size) == 0;
    int error = connection >= 0 ? errno : 0;
    if (is_connected && is_right(*peer = served_socket_peer(connection)))
        return connection;
    if (is_connected)
        error = EPERM;
    gpu_fail(GPU_ABSENT, "no mpgpu-serve: %s: %s", own.is_wanted ? "private" : address.sun_path,
             is_connected ? "its server is another user's, or outside of this container"
             : error      ? strerror(error)
                          : "no descriptor is free");
    if (connection >= 0)
        close(connection);
    errno = error;
    return -1;
}

union control {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
};

bool served_socket_send(int connection, const void *message, size_t bytes, int file) {
    union control control = {.room = {0}};
    struct iovec part = {(void *)message, bytes};
    struct msghdr all = {.msg_iov = &part, .msg_iovlen = 1};
    if (file >= 0) {
        all.msg_control = &control;
        all.msg_controllen = sizeof control;
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(sizeof file);
        memcpy(CMSG_DATA(&control.head), &file, sizeof file);
    }
    return syscall(SYS_sendmsg, connection, &all, MSG_NOSIGNAL) == (ssize_t)bytes;
}

/* Returns the descriptor that the message contains, or -1. */
static int take_file(struct msghdr *all) {
    int file = -1;
    const struct cmsghdr *head = CMSG_FIRSTHDR(all);
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof file))
        memcpy(&file, CMSG_DATA(head), sizeof file);
    return file;
}

bool served_socket_receive(int connection, void *message, size_t bytes, int *file) {
    union control control;
    struct iovec part = {message, bytes};
    struct msghdr all = {.msg_iov = &part,
                         .msg_iovlen = 1,
                         .msg_control = &control,
                         /* no room for a second descriptor */
                         .msg_controllen = CMSG_LEN(sizeof *file)};
    ssize_t got;
    do
        got = syscall(SYS_recvmsg, connection, &all, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR && !gpu_stopped());
    *file = got < 0 ? -1 : take_file(&all);
    if (got == (ssize_t)bytes && !(all.msg_flags & (MSG_TRUNC | MSG_CTRUNC)))
        return true;
    if (*file >= 0)
        close(*file);
    *file = -1;
    return false;
}

uint64_t served_visible(void) {
    static const char names[][sizeof "NVIDIA_VISIBLE_DEVICES"] = {
        "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",  "NVIDIA_VISIBLE_DEVICES",
        "OCL_ICD_VENDORS",      "OCL_ICD_FILENAMES",  "OPENCL_VENDOR_PATH",
        "POCL_DEVICES",         "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES",
        "HIP_VISIBLE_DEVICES",  "ZE_AFFINITY_MASK",
    };
    uint64_t hash = HASH_BASE;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value)
            hash = add_text(add_text(hash, names[i]), value);
    }
    return hash;
}

/* Reads /proc/PID/stat. Returns the text from the process's state on; "" if the process has ended.
 * Returns NULL if the file cannot be read, for example without a free descriptor. */
static const char *state_of(pid_t pid, char *text, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = file < 0 ? -1 : read(file, text, size - 1);
    bool has_ended = n < 0 && (errno == ENOENT || errno == ESRCH);
    if (file >= 0)
        close(file);
    if (n < 0 && !has_ended)
        return NULL;
    text[n > 0 ? n : 0] = '\0';
    /* skips the process's name, which may contain any character */
    const char *behind = strrchr(text, ')');
    return behind && behind[1] == ' ' ? behind + 2 : "";
}

bool served_is_stopped(pid_t pid) {
    char text[1024];
    const char *state = state_of(pid, text, sizeof text);
    return state && (*state == 'T' || *state == 't');
}

static enum gpu_status answer(int connection, struct served_welcome *welcome, int *file,
                              pid_t peer) {
    if (!served_socket_receive(connection, welcome, sizeof *welcome, file) ||
        welcome->magic != SERVED_MAGIC)
        return gpu_fail(GPU_FAILED,
                        "mpgpu-serve (process %d) gives no answer, or is of another version",
                        (int)peer);
    welcome->text[sizeof welcome->text - 1] = '\0';
    return welcome->status == GPU_OK ? GPU_OK
                                     : gpu_fail(welcome->status, "mpgpu-serve: %s", welcome->text);
}

enum gpu_status served_socket_ask(struct served_hello *hello, struct served_welcome *welcome,
                                  int *file, pid_t *peer) {
    const bool is_short = hello->purpose == SERVED_REGION || hello->purpose == SERVED_LOOK;
    /* SERVED_SHARE may take longer: the server first frees the memory that this client releases. */
    const int64_t us = hello->purpose == SERVED_SHARE ? 5 * SERVED_ANSWER_US
                       : is_short                     ? SERVED_ANSWER_US
                                                      : OPEN_US;
    return served_socket_ask_within(us, hello, welcome, file, peer);
}

enum gpu_status served_socket_ask_within(int64_t us, struct served_hello *hello,
                                         struct served_welcome *welcome, int *file, pid_t *peer) {
    int connection = served_socket_connect(peer);
    *file = -1;
    if (connection < 0) /* EAGAIN: too many clients wait for a server that opens its devices */
        return errno == EAGAIN ? GPU_FAILED : GPU_ABSENT;
    set_time(connection, SO_RCVTIMEO, us);
    hello->magic = SERVED_MAGIC;
    strcpy(hello->version, PACKAGE_VERSION);
    memcpy(hello->build, gpu_images_id, sizeof hello->build);
    hello->visible = served_visible();
    enum gpu_status status;
    if (served_is_stopped(*peer)) /* a stopped server would not answer */
        status = gpu_fail(GPU_FAILED, "mpgpu-serve (process %d) is stopped", (int)*peer);
    else if (served_socket_send(connection, hello, sizeof *hello, -1))
        status = answer(connection, welcome, file, *peer);
    else
        status = gpu_fail(GPU_FAILED, "mpgpu-serve (process %d) does not listen", (int)*peer);
    close(connection);
    return status;
}

/* Returns the start time in the text of /proc/PID/stat. Returns 0 in state Z: the process has
 * ended, but its parent has not waited for it. */
static uint64_t begun_by(const char *state) {
    unsigned long long begun = 0;
    if (*state == 'Z')
        return 0;
    sscanf(state,
           "%*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
           &begun);
    return begun;
}

uint64_t served_begun(pid_t pid) {
    char text[1024];
    const char *state = state_of(pid, text, sizeof text);
    return state ? begun_by(state) : 0;
}

pid_t served_parent(pid_t pid) {
    char text[1024];
    int parent = 0;
    const char *state = state_of(pid, text, sizeof text);
    if (state)
        sscanf(state, "%*c %d", &parent);
    return parent;
}

bool served_lives(pid_t pid, uint64_t begun) {
    char text[1024];
    const char *state = state_of(pid, text, sizeof text);
    return state ? begun_by(state) == begun : syscall(SYS_kill, pid, 0) == 0 || errno == EPERM;
}
