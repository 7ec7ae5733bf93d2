/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Fuzz target: requests of mpgpu-serve's clients. The client has device memory; the input bytes are
 * its requests. The device is emulated in host memory, which a sanitizer watches. The
 * server must disconnect the client, or access only the client's memory. */
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

/* Handles one request. Returns NULL, or the reason why the server would disconnect the client. */
static const char *ask(const struct served_request *r) {
    bool has_answer;
    return serve_request(&client->channel[0], r, &has_answer);
}

/* Adds a client and allocates device memory for it: number 1 of 64 KiB, number 2 of 100 bytes,
 * and number 3 on the second device. */
static void begin(void) {
    const char *why;
    int file;
    uint64_t number;
    client = serve_clients_add(getpid(), &file, &why);
    FUZZ_CHECK(client);
    serve_clients_lock(client);
    close(file);
    FUZZ_CHECK(serve_objects_alloc(client, &serve_device[0], 1 << 16, false, &number) == GPU_OK &&
               serve_objects_alloc(client, &serve_device[0], 100, false, &number) == GPU_OK &&
               serve_objects_alloc(client, &serve_device[1], 100, false, &number) == GPU_OK);
    FUZZ_CHECK(number == 3);
}

/* Returns true for requests that this target cannot run, because they need an open device or a
 * thread. */
static bool is_left_out(const struct served_request *r) {
    return r->op == SERVED_LEAVE || r->op == SERVED_CHANNEL ||
           (r->op == SERVED_SLOTS && r->a[1] < serve_own_devices);
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
        if (r.op == SERVED_OPS)
            serve_objects_free(client, r.a[0]);
        else if (!is_left_out(&r) && ask(&r))
            break;
    }
    end();
    return 0;
}
