/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Copies from device to device in the server.  Devices are host memory. */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "gpu/futex.h"
#include "gpu/gpu.h"
#include "tests/fuzz/served_requests.h"
#include "tests/support/testing.h"
#include "tools/serve/serve.h"

enum { BYTES = 1 << 16, DEVICES = SERVED_REQUESTS_DEVICES };

static struct serve_client *client;
static uint64_t queue[DEVICES], memory[DEVICES]; /* of each device */

/* ---- requests of the client's, by its first channel */

static const char *ask(struct served_request r) {
    struct served_channel *c = &client->shared->channel[0];
    uint32_t place = atomic_load(&c->posted);
    c->ring[place % SERVED_RING] = r;
    atomic_store(&c->posted, place + 1);
    futex_wake(&c->posted, FUTEX_SHARED);
    while (atomic_load(&c->served) != place + 1 && !atomic_load(&client->shared->is_dropped))
        usleep(100);
    return atomic_load(&client->shared->is_dropped) ? client->shared->why : NULL;
}

#define ASK(name, ...) ask((struct served_request){.op = SERVED_##name, .a = {__VA_ARGS__}})

static struct served_channel *answer(void) {
    return &client->shared->channel[0];
}

static uint64_t value_of(const char *why) {
    ck_assert_msg(!why, "%s", why);
    ck_assert_msg(answer()->status == GPU_OK, "%s", answer()->text);
    return answer()->value;
}

/* What the queue has been given is done: its status. */
static int finish(unsigned device) {
    ck_assert(!ASK(RECORD, queue[device], 7) && !ASK(WAIT, 7));
    int status = answer()->status;
    ck_assert(!ASK(FORGET, 7));
    return status;
}

static unsigned char *host(void) {
    return (unsigned char *)served_host(client->shared);
}

static void fill(unsigned device, unsigned char with) {
    for (int i = 0; i < BYTES; i++)
        host()[i] = (unsigned char)(with + i % 199);
    ck_assert(!ASK(WRITE, queue[device], memory[device], 0, 0, 0, BYTES));
    ck_assert_int_eq(finish(device), GPU_OK);
}

static void check(unsigned device, size_t at, unsigned char with, size_t from, size_t bytes) {
    memset(host(), 0xee, BYTES);
    ck_assert(!ASK(READ, queue[device], memory[device], at, 0, 0, bytes));
    ck_assert_int_eq(finish(device), GPU_OK);
    for (size_t i = 0; i < bytes; i++)
        ck_assert_uint_eq(host()[i], (unsigned char)(with + (from + i) % 199));
    ck_assert_uint_eq(host()[bytes], 0xee);
}

/* ---- the server */

static void begin_client(unsigned devices) {
    const char *why;
    int file;
    uint64_t token[2];
    ck_assert(serve_clients_add(getpid(), token, &file, &why));
    client = serve_clients_find(token, getpid());
    close(file);
    for (unsigned i = 0; i < devices; i++) {
        queue[i] = value_of(ASK(QUEUE_OPEN, i));
        memory[i] = value_of(ASK(ALLOC, BYTES, i));
    }
}

static void begin(void) {
    served_requests_prepare();
    begin_client(DEVICES);
}

static void end(void) {
    serve_clients_leave(client);
    serve_clients_end(client, NULL);
    served_requests_end();
}

/* ---- devices of one process */

START_TEST(devices_of_one_process) {
    begin();
    fill(0, 3);
    fill(1, 90);
    ck_assert(!ASK(PEER, queue[0], memory[0], 500, memory[1], 1000, 2000));
    ck_assert_int_eq(finish(0), GPU_OK);
    check(0, 0, 3, 0, 500);
    check(0, 500, 90, 1000, 2000);
    check(0, 2500, 3, 2500, BYTES - 2500 - 1);
    ck_assert(!ASK(PEER, queue[1], memory[1], 0, memory[1], 7, 100)); /* its own */
    check(1, 0, 90, 7, 100);
    ck_assert_uint_eq(atomic_load(&client->across), 2100);
    end();
}
END_TEST

/* It waits for its own device's queue, and for the other's copy, but for no other work there. */
START_TEST(a_source_is_released) {
    begin();
    ck_assert(!ASK(QUEUE_OPEN, 0));
    for (uint64_t reads = 0; reads < 2; reads++) {
        if (reads)
            ck_assert(!ASK(PEER, queue[0], memory[0], 0, memory[1], 0, 8));
        ck_assert_uint_eq(client->readers, reads);
        served_requests_waits = 0;
        ck_assert(!ASK(RELEASE, memory[1]) && answer()->status == GPU_OK);
        ck_assert_uint_eq((uint64_t)served_requests_waits, 1 + reads);
        ck_assert_uint_eq(client->readers, 0);
        memory[1] = value_of(ASK(ALLOC, BYTES, 1));
    }
    end();
}
END_TEST

/* A client that asks so is dropped, and nothing is copied. */
START_TEST(wrong_requests) {
    const uint64_t most = UINT64_MAX;
    const struct {
        uint64_t memory, offset, source, source_offset, bytes;
    } wrong[] = {{2, 0, 4, 1, BYTES},     {2, 1, 4, 0, BYTES},
                 {2, 0, 4, BYTES + 1, 0}, {2, most, 4, 0, 2},
                 {2, 0, 4, most, 2},      {2, 1, 4, 1, most},
                 {2, 0, 5, 0, 1},         {2, 0, 0, 0, 1},
                 {2, 0, 1, 0, 1},         {4, 0, 2, 0, 1} /* of another device's queue */,
                 {0, 0, 4, 0, 1}};
    served_requests_prepare();
    begin_client(DEVICES);
    ck_assert(queue[0] == 1 && memory[0] == 2 && queue[1] == 3 && memory[1] == 4);
    const char *why = ASK(PEER, 1, wrong[_i].memory, wrong[_i].offset, wrong[_i].source,
                          wrong[_i].source_offset, wrong[_i].bytes);
    ck_assert_ptr_nonnull(why);
    ck_assert_ptr_nonnull(strstr(why, "names what is not there"));
    ck_assert_int_eq(served_requests_copies, 0);
    end();
}
END_TEST

/* Where the server has said that they do not copy from one another. */
START_TEST(no_peers) {
    begin();
    serve_device[0].peers &= ~2u;
    struct served_welcome w;
    serve_devices_offer(&w);
    ck_assert_uint_eq(w.offer[0].peers, 1);
    ck_assert_uint_eq(w.offer[1].peers, 3);
    ck_assert(!ASK(PEER, queue[1], memory[1], 0, memory[0], 0, 1));
    ck_assert_ptr_nonnull(ASK(PEER, queue[0], memory[0], 0, memory[1], 0, 1));
    ck_assert_int_eq(served_requests_copies, 1);
    end();
}
END_TEST

/* The queue's next event says so, and the queue works again. */
START_TEST(a_copy_fails) {
    begin();
    served_requests_copy = GPU_NOMEM;
    ck_assert(!ASK(PEER, queue[0], memory[0], 0, memory[1], 0, 1));
    served_requests_copy = GPU_OK;
    ck_assert(!ASK(PEER, queue[0], memory[0], 0, memory[1], 0, 1));
    ck_assert_int_eq(served_requests_copies, 1);
    ck_assert_int_eq(finish(0), GPU_NOMEM);
    ck_assert(!ASK(PEER, queue[0], memory[0], 0, memory[1], 0, 1));
    ck_assert_int_eq(finish(0), GPU_OK);
    end();
}
END_TEST

/* An address where a region ends and another begins is in the second. */
START_TEST(regions_side_by_side) {
    static struct serve_client c;
    static char place[3 * BYTES];
    uint64_t offset;
    c.region[0] = (struct serve_region){place, BYTES};
    c.region[1] = (struct serve_region){place + BYTES, BYTES};
    ck_assert_uint_eq(serve_memory_find(&c, place + BYTES, 0, &offset), 1);
    ck_assert_uint_eq(offset, 0);
    ck_assert_uint_eq(serve_memory_find(&c, place + 2 * BYTES - 1, 1, &offset), 1);
    ck_assert_uint_eq(offset, BYTES - 1);
    ck_assert_uint_eq(serve_memory_find(&c, place + BYTES - 1, 2, &offset), SERVED_REGIONS);
    ck_assert_uint_eq(serve_memory_find(&c, place + 2 * BYTES, 0, &offset), SERVED_REGIONS);
}
END_TEST

int main(void) {
    return testing_main("serve_peers", 60,
                        TESTS(ONCE(devices_of_one_process), ONCE(a_source_is_released),
                              LOOP(wrong_requests, 11), ONCE(no_peers), ONCE(a_copy_fails),
                              ONCE(regions_side_by_side)));
}
