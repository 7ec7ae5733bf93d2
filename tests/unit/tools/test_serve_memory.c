/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Memory of mpgpu-serve's clients, of which several channels ask for different things at once. */
#include "config.h"

#include <pthread.h>
#include <unistd.h>

#include "tests/support/testing.h"
#include "tools/serve/serve.h"

enum { AT = SERVED_LOCKED_BYTES, BYTES = 8 << 20, WAIT_US = 50000 };

static struct serve_client *client;
static char *memory; /* BYTES of the client, page-locked */

static void begin(void) {
    const char *why;
    int file;
    uint64_t token[2];
    ck_assert_msg(serve_clients_add(getpid(), token, &file, &why), "%s", why);
    serve_clients_lock(getpid(), token);
    close(file);
    client = serve_clients_find(token, getpid());
    ck_assert_ptr_nonnull(client);
    serve_clients_leave(client);
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

static void *unlock(void *is_unlocked) {
    pthread_rwlock_wrlock(&client->lock);
    *(bool *)is_unlocked = serve_memory_unlock(client, 0, AT);
    pthread_rwlock_unlock(&client->lock);
    return NULL;
}

/* A job uses the memory, and then slots lie in it: kernels read them without a further look. */
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

int main(void) {
    return testing_main("memory of a server's clients", 10, TESTS(ONCE(slots_while_it_waits)));
}
