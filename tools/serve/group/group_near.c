/* SPDX-License-Identifier: LGPL-3.0-or-later
 * What another member asks that is on this host: host memory of its client. */
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

bool group_near(struct serve_client *c, int file, const struct served_request *r) {
    bool done = map_file(c, r->a);
    serve_log(2, "memory of a client of %s is %s", c->name, done ? "mapped" : "not mapped");
    return answer(file, done ? GPU_OK : gpu_fail(GPU_ABSENT, "memory is not mapped"), 0);
}
