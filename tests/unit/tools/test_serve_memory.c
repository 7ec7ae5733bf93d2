/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests how mpgpu-serve page-locks and unlocks its clients' memory while several channels (request
 * queues) of a client use it at the same time. */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu/served/served_socket.h"
#include "tests/support/testing.h"
#include "tools/serve/serve.h"

enum { AT = SERVED_LOCKED_BYTES, BYTES = 8 << 20, WAIT_US = 50000 };

static struct serve_client *client;
static char *memory; /* page-locked memory of the client, BYTES long */

static void add(void) {
    const char *why;
    int file;
    client = serve_clients_add(getpid(), &file, &why);
    ck_assert_msg(client, "%s", why);
    close(file);
}

static void begin(void) {
    add();
    serve_clients_lock(client);
    pthread_rwlock_wrlock(&client->lock);
    ck_assert_int_eq(serve_memory_lock(client, 0, AT, BYTES), GPU_OK);
    memory = serve_memory_at(client, 0, AT, BYTES);
    pthread_rwlock_unlock(&client->lock);
}

static void end(void) {
    serve_clients_end(client, NULL);
    while (serve_clients_count() > 0)
        serve_clients_watch(NULL, 0, 1);
}

static bool unlock_at(uint64_t offset) {
    pthread_rwlock_wrlock(&client->lock);
    bool is_unlocked = serve_memory_unlock(client, 0, offset);
    pthread_rwlock_unlock(&client->lock);
    return is_unlocked;
}

static void *unlock(void *is_unlocked) {
    *(bool *)is_unlocked = unlock_at(AT);
    return NULL;
}

static void *unlock_first(void *is_unlocked) {
    *(bool *)is_unlocked = unlock_at(0);
    return NULL;
}

/* A request to unlock memory waits for a job that uses the memory. Before the job ends, the client
 * places slots of small products there. The server must then refuse the request, because kernels
 * may read slots at any time. */
START_TEST(slots_while_it_waits) {
    bool is_unlocked = true;
    pthread_t thread;
    begin();
    struct serve_channel *channel = &client->channel[1];
    struct serve_use use = {.p = memory, .bytes = BYTES};
    pthread_rwlock_wrlock(&client->lock);
    channel->use = &use;
    channel->uses = 1;
    pthread_rwlock_unlock(&client->lock);
    ck_assert_int_eq(pthread_create(&thread, NULL, unlock, &is_unlocked), 0);
    usleep(WAIT_US);
    pthread_rwlock_wrlock(&client->lock);
    client->slots[0].begin = memory;
    channel->use = NULL;
    channel->uses = 0;
    pthread_rwlock_unlock(&client->lock);
    pthread_join(thread, NULL);
    ck_assert(!is_unlocked);
    ck_assert(serve_memory_is_locked(client, memory, BYTES));
    client->slots[0].begin = NULL;
    end();
}
END_TEST

/* A client ends while the server has not yet page-locked the client's first memory, and a request
 * to unlock this memory waits. The server must execute the request after the lock. */
START_TEST(ends_before_its_lock) {
    bool is_unlocked = false;
    pthread_t thread;
    add();
    ck_assert_int_eq(pthread_create(&thread, NULL, unlock_first, &is_unlocked), 0);
    serve_clients_end(client, NULL);
    usleep(WAIT_US);
    ck_assert(!is_unlocked);
    serve_clients_lock(client);
    pthread_join(thread, NULL);
    ck_assert(is_unlocked);
    end();
}
END_TEST

/* The client drops a memory region, as after fork. Then another of its channels asks to lock this
 * region, which the server must refuse. */
START_TEST(lock_after_drop) {
    uint64_t number;
    bool has_answer;
    begin();
    close(serve_memory_region(client, BYTES, &number));
    const struct served_request drop = {.op = SERVED_DROP, .a = {number}};
    const struct served_request lock = {.op = SERVED_LOCK, .a = {number, 0, BYTES}};
    ck_assert_ptr_null(serve_request(&client->channel[1], &drop, &has_answer));
    ck_assert_ptr_null(serve_request(&client->channel[2], &lock, &has_answer));
    ck_assert_int_eq(client->shared->channel[2].status, GPU_ABSENT);
    end();
}
END_TEST

static atomic_bool is_slow;

void __real_serve_memory_lock_first(struct serve_client *c);
void __wrap_serve_memory_lock_first(struct serve_client *c);
void __wrap_serve_memory_lock_first(struct serve_client *c) {
    while (atomic_load(&is_slow))
        usleep(1000);
    __real_serve_memory_lock_first(c);
}

static void *accept_all(void *socket) {
    for (;;) {
        serve_socket_accept(*(int *)socket);
        usleep(1000);
    }
    return NULL;
}

static enum gpu_status greet(enum served_purpose purpose) {
    struct served_hello hello = {.purpose = purpose};
    static struct served_welcome welcome;
    int file = -1;
    pid_t peer;
    enum gpu_status status = served_socket_ask(&hello, &welcome, &file, &peer);
    if (file >= 0)
        close(file);
    return status;
}

static bool has_first_lock(struct serve_client *c) {
    return serve_memory_is_locked(c, served_host(c->shared), SERVED_LOCKED_BYTES);
}

/* More programs connect at the same time than the server admits at once. The server must page-lock
 * the memory of all of them. */
START_TEST(many_locks) {
    enum { MANY = 70 };
    char folder[] = "/tmp/mpgpu-test.XXXXXX", inner[sizeof folder + 8];
    bool runs;
    pthread_t thread;
    ck_assert(mkdtemp(folder) && setenv("XDG_RUNTIME_DIR", folder, 1) == 0);
    int socket = serve_socket_open(&runs);
    ck_assert(socket >= 0 && !runs);
    ck_assert_int_eq(pthread_create(&thread, NULL, accept_all, &socket), 0);
    atomic_store(&is_slow, true);
    for (int i = 0; i < MANY; i++)
        ck_assert_msg(greet(SERVED_OPEN) == GPU_OK, "client %d: %s", i, gpu_error_text());
    ck_assert_int_eq(greet(SERVED_LOOK), GPU_OK);
    atomic_store(&is_slow, false);
    while (!serve_clients_each(has_first_lock))
        usleep(1000);
    ck_assert_uint_eq(serve_clients_count(), MANY);
    serve_socket_close(socket);
    snprintf(inner, sizeof inner, "%s/mpgpu", folder);
    ck_assert(rmdir(inner) == 0 && rmdir(folder) == 0);
}
END_TEST

int main(void) {
    return testing_main("memory of a server's clients", 10,
                        TESTS(ONCE(slots_while_it_waits), ONCE(ends_before_its_lock),
                              ONCE(lock_after_drop), ONCE(many_locks)));
}
