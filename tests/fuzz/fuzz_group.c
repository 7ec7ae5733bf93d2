/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fuzz target: what a member of a group gets from a connection.  The first byte says what is sent:
 * anything, a hello without the key, or one with it and requests behind it.  The member closes the
 * connection, or does what was asked inside of what the client has. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gpu/served/served_socket.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/served_requests.h"
#include "tools/serve/group/group.h"
#include "tools/serve/group/group_wire.h"

enum { ANYTHING, NO_KEY, KEY, KINDS };

static int connection;

static void send_all(const void *data, size_t bytes) {
    group_wire_send(connection, data, bytes); /* it may be closed */
}

static void ask(const struct served_request *r) {
    send_all(r, offsetof(struct served_request, args) + r->nargs * sizeof *r->args);
}

#define ASK(name, ...) ask(&(struct served_request){.op = SERVED_##name, .a = {__VA_ARGS__}})

/* A hello; as good as the bytes let it be. */
static void say_hello(bool has_key, const uint8_t *byte, const struct group_challenge *challenge) {
    struct group_hello hello = {.magic = GROUP_MAGIC,
                                .version = PACKAGE_VERSION,
                                .wish = byte[1] < 250 ? GROUP_OPEN : byte[1] % 4u,
                                .device = byte[2] < 250 ? byte[2] % 2 : byte[2],
                                .channel = byte[3] < 250 ? byte[3] % SERVED_CHANNELS : byte[3]};
    memcpy(hello.build, gpu_images_id, sizeof hello.build);
    hello.version[0] = (char)(hello.version[0] + (byte[4] > 250));
    if (has_key)
        group_wire_prove(challenge->nonce, &hello, offsetof(struct group_hello, proof),
                         hello.proof);
    send_all(&hello, sizeof hello);
}

/* Queue 1, memory 2 of 64 KiB, memory 3 of 100 bytes. */
static void begin(void) {
    ASK(QUEUE_OPEN, 0);
    ASK(ALLOC, 1 << 16);
    ASK(ALLOC, 100);
}

/* Bytes follow those that say so, but none of those that would be longer. */
static void send_requests(const uint8_t *data, size_t size) {
    static const uint8_t zeros[1 << 16];
    for (; size >= SERVED_REQUESTS_BYTES;
         data += SERVED_REQUESTS_BYTES, size -= SERVED_REQUESTS_BYTES) {
        struct served_request r = {0};
        served_requests_take(&r, data);
        uint64_t bytes = r.op == SERVED_WRITE ? r.a[5] : r.op == SERVED_BUILD ? r.a[1] : 0;
        r.nargs = r.nargs <= SERVED_ARGS ? r.nargs : SERVED_ARGS;
        if (r.op >= SERVED_OPS)
            r.op = GROUP_MAP + data[15] % (GROUP_OPS - GROUP_MAP + 1u);
        ask(&r);
        if (bytes <= sizeof zeros)
            send_all(zeros, (size_t)bytes);
    }
}

struct input {
    const uint8_t *data;
    size_t size;
};

/* Takes what the member says, so that it does not wait for this. */
static void *take_all(void *unused) {
    char some[4096];
    (void)unused;
    while (recv(connection, some, sizeof some, 0) > 0)
        continue;
    return NULL;
}

static void send_input(const struct input *input, const struct group_challenge *challenge) {
    int kind = input->data[0] % KINDS;
    if (kind == ANYTHING) {
        send_all(input->data, input->size);
        return;
    }
    say_hello(kind == KEY, input->data, challenge);
    begin();
    send_requests(input->data + SERVED_REQUESTS_BYTES, input->size - SERVED_REQUESTS_BYTES);
}

static void *call(void *argument) {
    struct group_challenge challenge;
    pthread_t thread;
    if (!group_wire_receive(connection, &challenge, sizeof challenge) ||
        pthread_create(&thread, NULL, take_all, NULL) != 0)
        abort();
    send_input(argument, &challenge);
    shutdown(connection, SHUT_WR);
    pthread_join(thread, NULL);
    return NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    served_requests_prepare();
    group_table.ranks = 1; /* the caller is rank 0, on this host */
    memcpy(group_table.peer[0].boot, "here", sizeof "here");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {data, size};
    pthread_t thread;
    int ends[2];
    if (size < SERVED_REQUESTS_BYTES)
        return 0;
    FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    connection = ends[0];
    FUZZ_CHECK(pthread_create(&thread, NULL, call, &input) == 0);
    group_member_answer(ends[1]);
    close(ends[1]);
    pthread_join(thread, NULL);
    close(connection);
    served_requests_end();
    return 0;
}
