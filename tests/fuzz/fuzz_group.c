/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fuzz target: messages that an mpgpu-serve receives from the other servers of its group, which
 * share their devices. The first byte selects the kind of input: arbitrary bytes on a connection, a
 * greeting ("hello") without the group's key, or a job's message with changed bytes. The server
 * must close the connection, or answer that the job was not done. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/session/session.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/served_requests.h"
#include "tools/serve/group/group.h"
#include "tools/serve/group/group_wire.h"

enum { ANYTHING, NO_KEY, JOB, KINDS, LIMBS = 40, CHANGE = 4 /* bytes */ };

struct input {
    const uint8_t *data;
    size_t size;
    int connection;
};

/* ---- input that arrives on a connection */

static void *call(void *argument) {
    const struct input *in = argument;
    struct group_challenge challenge;
    struct group_hello hello = {.magic = GROUP_MAGIC, .version = PACKAGE_VERSION};
    if (!group_wire_receive(in->connection, &challenge, sizeof challenge))
        abort();
    memcpy(hello.build, gpu_images_id, sizeof hello.build);
    memcpy(hello.proof, in->data, in->size < sizeof hello.proof ? in->size : sizeof hello.proof);
    if (in->data[0] % KINDS == NO_KEY)
        group_wire_send(in->connection, &hello, sizeof hello);
    else
        group_wire_send(in->connection, in->data, in->size);
    shutdown(in->connection, SHUT_WR);
    return NULL;
}

static void try_connection(struct input *in) {
    pthread_t thread;
    int ends[2];
    FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    in->connection = ends[0];
    FUZZ_CHECK(pthread_create(&thread, NULL, call, in) == 0);
    group_member_answer(ends[1]);
    close(ends[1]);
    pthread_join(thread, NULL);
    close(ends[0]);
}

/* ---- jobs: this process is both sender and receiver, and has no device to compute them */

enum outcome __wrap_session_wait(void);
enum outcome __wrap_session_wait(void) {
    return OUTCOME_NONE;
}

static const struct input *input;

void *__wrap_group_net_call(uint64_t link, void *payload, size_t *bytes, bool (*goes_on)(void *of),
                            void *of);
void *__wrap_group_net_call(uint64_t link, void *payload, size_t *bytes, bool (*goes_on)(void *of),
                            void *of) {
    unsigned char *byte = payload;
    (void)link, (void)goes_on, (void)of;
    for (size_t i = 1; i + CHANGE <= input->size; i += CHANGE)
        byte[(input->data[i] << 8 | input->data[i + 1]) % *bytes] =
            (unsigned char)(input->data[i + 2] % 8 ? input->data[i + 3] : 0xff);
    if (input->size % 3 == 0)
        *bytes = input->data[input->size - 1];
    struct group_answer answer = group_job_compute(payload, *bytes);
    free(payload);
    *bytes = answer.bytes;
    return answer.payload;
}

static void try_job(void) {
    uint64_t limbs[4 * LIMBS] = {1};
    struct job job = {.op = input->data[0] / KINDS % 2 ? JOB_mul : JOB_batch_mul,
                      .operands = 2,
                      .results = 1,
                      .u = {job_limbs(limbs, LIMBS), job_limbs(limbs + LIMBS, LIMBS)},
                      .r = {job_limbs(limbs + 2 * LIMBS, 2 * LIMBS)}};
    const char *fault;
    FUZZ_CHECK(group_job_run(1, 0, &job, &fault) != OUTCOME_DONE);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    served_requests_prepare();
    group_table.ranks = 1;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input one = {data, size, -1};
    if (size < 2 * CHANGE)
        return 0;
    input = &one;
    if (data[0] % KINDS == JOB)
        try_job();
    else
        try_connection(&one);
    return 0;
}
