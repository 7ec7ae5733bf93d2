/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fuzz target: the requests of mpgpu-serve's clients.  Bytes are requests, first some that are
 * valid; the device is memory of the host, which a sanitizer watches.  The server drops the client,
 * or does what was asked inside of what the client has. */
#include "config.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/served/served_socket.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/served_requests.h"
#include "tools/serve/serve.h"

static struct serve_client *client;

/* ---- requests */

/* NULL, or why the client would be dropped. */
static const char *ask(const struct served_request *r) {
    bool has_answer;
    return serve_request(&client->channel[0], r, &has_answer);
}

#define ASK(name, ...) ask(&(struct served_request){.op = SERVED_##name, .a = {__VA_ARGS__}})

/* Queue 1, memory 2 of 64 KiB, memory 3 of 100 bytes, memory 4 of the second device's, an event of
 * the queue. */
static void begin(void) {
    const char *why;
    int file;
    uint64_t token[2];
    FUZZ_CHECK(serve_clients_add(getpid(), token, &file, &why));
    client = serve_clients_find(token, getpid());
    FUZZ_CHECK(client);
    serve_clients_leave(client);
    close(file);
    FUZZ_CHECK(!ASK(QUEUE_OPEN, 0) && !ASK(ALLOC, 1 << 16) && !ASK(ALLOC, 100) &&
               !ASK(ALLOC, 100, 1));
    FUZZ_CHECK(!ASK(RECORD, 1, 0) && !ASK(WRITE, 1, 2, 0, 0, 0, 1 << 16));
    FUZZ_CHECK(client->shared->channel[0].status == GPU_OK);
}

static void end(void) {
    serve_clients_end(client, NULL);
    served_requests_end();
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    served_requests_prepare();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    begin();
    for (; size >= SERVED_REQUESTS_BYTES;
         data += SERVED_REQUESTS_BYTES, size -= SERVED_REQUESTS_BYTES) {
        struct served_request r = {0};
        served_requests_take(&r, data);
        bool leaves = r.op == SERVED_LEAVE || r.op == SERVED_CHANNEL;
        if (!leaves && ask(&r))
            break;
    }
    end();
    return 0;
}
