/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What another member asks that is on this host: host memory of its client, and memory of devices
 * that it copies from or lets this one copy from.  Members elsewhere have none of that. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/error.h"
#include "tools/serve/group/group.h"
#include "tools/serve/group/group_wire.h"

static bool answer(int file, enum gpu_status status, uint64_t value) {
    struct group_answer answer = {.status = (int32_t)status, .value = value};
    if (status != GPU_OK)
        snprintf(answer.text, sizeof answer.text, "%s", gpu_error_text());
    return group_wire_send(file, &answer, sizeof answer);
}

/* Proven to be a member; what it says of itself need not be right. */
static bool is_near(uint32_t rank) {
    return rank < group_table.ranks && group_is_near(rank);
}

/* The caller's file, where it is on this host and runs for the same user. */
static bool map_file(struct serve_client *c, const uint64_t *from) {
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)from[1], (int)from[2]);
    int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    bool done = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                status.st_ino == from[4] && serve_memory_adopt(c, from[0], from[3], file);
    if (file >= 0)
        close(file);
    return done;
}

static bool map(struct serve_client *c, int file, const struct served_request *r) {
    bool done = map_file(c, r->a);
    serve_log(2, "memory of a client of %s is %s", c->name, done ? "mapped" : "not mapped");
    return answer(file, done ? GPU_OK : gpu_fail(GPU_ABSENT, "memory is not mapped"), 0);
}

static enum gpu_status too_far(void) {
    return gpu_fail(GPU_ABSENT, "a member that is not on this host");
}

/* The handle comes first, and is empty where there is none. */
static bool export(struct serve_client *c, uint32_t rank, int file, uint64_t number) {
    struct gpu_ipc_handle handle = {.size = 0};
    pthread_rwlock_wrlock(&c->lock);
    enum gpu_status status = is_near(rank) ? serve_peers_export(c, number, &handle) : too_far();
    pthread_rwlock_unlock(&c->lock);
    return group_wire_send(file, &handle, sizeof handle) && answer(file, status, 0);
}

static bool import(struct serve_client *c, unsigned device, uint32_t rank, int file) {
    struct gpu_ipc_handle handle;
    uint64_t number = 0;
    if (!group_wire_receive(file, &handle, sizeof handle))
        return false;
    pthread_rwlock_wrlock(&c->lock);
    enum gpu_status status =
        is_near(rank) ? serve_peers_import(c, &serve_device[device], &handle, &number) : too_far();
    pthread_rwlock_unlock(&c->lock);
    return answer(file, status, number);
}

static bool close_import(struct serve_client *c, int file, uint64_t number) {
    pthread_rwlock_wrlock(&c->lock);
    bool done = serve_peers_close(c, number);
    pthread_rwlock_unlock(&c->lock);
    if (!done)
        serve_clients_end(c, "a request that names what is not there");
    return done && answer(file, GPU_OK, 0);
}

bool group_near(struct serve_client *c, unsigned device, uint32_t rank, int file,
                const struct served_request *r) {
    switch (r->op) {
    case GROUP_MAP:
        return map(c, file, r);
    case GROUP_EXPORT:
        return export(c, rank, file, r->a[0]);
    case GROUP_IMPORT:
        return import(c, device, rank, file);
    default:
        return close_import(c, file, r->a[0]);
    }
}
