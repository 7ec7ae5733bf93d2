/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides when a program begins to use a device (contact.h). */
#include "lib/session/start/contact.h"

#include <stdatomic.h>

#include "gpu/gpu.h"
#include "lib/base/conf.h"

/* Nanoseconds that GMP must have spent. before_server: before a running server is contacted.
 * before_opening: before a device is opened if no server runs. */
static const int64_t before_server = 3000000, before_opening = 20000000;

static _Atomic int64_t spent;
static atomic_bool is_allowed, has_looked, is_child;

bool contact_is_allowed(void) {
    return atomic_load_explicit(&is_allowed, memory_order_relaxed) ||
           mpgpu_conf.open != OPEN_BACKGROUND || conf_is_backend_none();
}

/* Returns true if a server may be contacted after the shorter time, before_server. With server:auto
 * looks for a server once, and only with a GPU: a CPU server would take CPU time from the
 * program. */
static bool server_suffices(void) {
    if (mpgpu_conf.server == SERVER_OFF)
        return false;
    if (mpgpu_conf.server == SERVER_ONLY || atomic_load(&is_child))
        return true;
    return mpgpu_conf.server == SERVER_AUTO && !atomic_exchange(&has_looked, true) &&
           gpu_may_exist() && gpu_served_may_run();
}

static bool suffices(int64_t ns) {
    bool is_enough = ns >= before_opening || (ns >= before_server && server_suffices());
    return is_enough && !atomic_exchange(&is_allowed, true);
}

bool contact_add_time(int64_t ns) {
    return suffices(atomic_fetch_add_explicit(&spent, ns, memory_order_relaxed) + ns);
}

bool contact_expect(int64_t ns) {
    return suffices(atomic_load_explicit(&spent, memory_order_relaxed) + ns);
}

void contact_allow(void) {
    atomic_store(&is_allowed, true);
}

void contact_reset(void) {
    atomic_store(&spent, 0);
    atomic_store(&is_allowed, false);
    atomic_store(&is_child, true);
}
