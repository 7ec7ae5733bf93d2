/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Opens mpgpu-serve's device in a child of fork. */
#include "config.h"

#include "lib/session/session_child.h"

#include <pthread.h>
#include <stdatomic.h>

#include "gpu/gpu.h"
#include "lib/base/conf.h"
#include "lib/base/process.h"
#include "lib/memory/pinned.h"
#include "lib/process/interrupted.h"
#include "lib/process/shutdown.h"
#include "lib/process/surroundings.h"
#include "lib/session/start/contact.h"
#include "lib/session/session_device.h"
#include "lib/session/session_open.h"
#include "lib/session/start/starting.h"

/* PARENT: this process is not a child of fork. In a child, CLOSED: opening has not begun; BEGUN: it
 * has begun; NONE: the child will have no device. */
enum { PARENT, CLOSED, BEGUN, NONE };
static atomic_int state;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void session_child_renew(bool was_acquired) {
    pthread_mutex_init(&mutex, NULL);
    contact_reset();
    starting_renew();
    atomic_store(&state, was_acquired && mpgpu_conf.server != SERVER_OFF ? CLOSED : NONE);
    session_devices_renew();
    pinned_renew();
    if (was_acquired)
        gpu_served_renew();
}

bool session_child_has_any(void) {
    if (!shutdown_is_in_child())
        return true;
    return process_is_ours() && atomic_load(&state) == BEGUN &&
           (starting_is_under_way() ||
            session_devices_in(SESSION_OPENING) + session_devices_in(SESSION_READY) > 0);
}

static void open_first(void) {
    session_open_begin();
}

static void open_served(void) {
    pthread_mutex_lock(&mutex);
    if (atomic_load(&state) == CLOSED) {
        const bool may = !surroundings_forbid();
        atomic_store(&state, may ? BEGUN : NONE);
        if (may)
            starting_begin_child(open_first);
    }
    pthread_mutex_unlock(&mutex);
}

bool session_child_may(void) {
    if (!shutdown_is_in_child())
        return true;
    if (process_is_ours() && atomic_load(&state) == CLOSED && contact_is_allowed() &&
        !interrupted())
        open_served();
    return session_child_has_any();
}
