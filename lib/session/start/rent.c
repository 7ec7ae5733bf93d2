/* SPDX-License-Identifier: LGPL-3.0-or-later
 * When a program asks for a device. */
#include "lib/session/start/rent.h"

#include <stdatomic.h>

#include "gpu/gpu.h"
#include "lib/base/conf.h"

/* Nanoseconds of GMP's time before a running server is asked, and before a device is opened. */
static const int64_t before_server = 3000000, before_opening = 20000000;

static _Atomic int64_t spent;
static atomic_bool is_paid, has_looked, is_child;

bool rent_is_paid(void) {
    return atomic_load_explicit(&is_paid, memory_order_relaxed) ||
           mpgpu_conf.open != OPEN_BACKGROUND || conf_is_backend_none();
}

/* Without a GPU, the server's work for a new client would take time from the program's CPUs. */
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
    return is_enough && !atomic_exchange(&is_paid, true);
}

bool rent_pay(int64_t ns) {
    return suffices(atomic_fetch_add_explicit(&spent, ns, memory_order_relaxed) + ns);
}

bool rent_expect(int64_t ns) {
    return suffices(atomic_load_explicit(&spent, memory_order_relaxed) + ns);
}

void rent_waive(void) {
    atomic_store(&is_paid, true);
}

void rent_renew(void) {
    atomic_store(&spent, 0);
    atomic_store(&is_paid, false);
    atomic_store(&is_child, true);
}
