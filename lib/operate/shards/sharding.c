/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Decides whether several devices may share an operation. */
#include "lib/operate/shards/sharding.h"

#include <stdatomic.h>

#include "lib/base/conf.h"
#include "lib/process/access_guard.h"
#include "lib/process/interrupted.h"
#include "lib/process/surroundings.h"
#include "lib/session/session_device.h"
#include "lib/transfer/far.h"

/* See doc/design/devices.md. */
#define LEAST_LIMBS ((size_t)1 << 20)

enum { MOST_WRONG = 3 };

static atomic_flag is_taken = ATOMIC_FLAG_INIT;
/* count of devices that had not answered when sharding_begin took the lock */
static unsigned were_closed;
static atomic_bool is_over; /* true: no operation is shared any more */
static atomic_int wrong;

size_t sharding_limbs(void) {
    return mpgpu_conf.shard == MPGPU_UNSET ? LEAST_LIMBS : mpgpu_conf.shard;
}

/* Returns true if this thread's next operation may be shared. Returns false if a server owns the
 * devices, because its engine shards operations itself. */
bool sharding_is_allowed(void) {
    unsigned unused[SESSION_DEVICES];
    const struct far_caller *caller = far_here();
    return session_devices(unused) > 1 && session_bound() == SESSION_ANY && !session_is_served() &&
           mpgpu_conf.verify <= VERIFY_DEVICE && !conf_job().clear && !atomic_load(&is_over) &&
           (caller ? caller->may_be_shared : !surroundings_handle_faults() && !interrupted());
}

static unsigned guards_closed(void) {
    unsigned count = 0;
    for (unsigned i = 0; i < session_devices_begun(); i++)
        count += access_guard_is_closed(&session_device(i)->guard);
    return count;
}

bool sharding_begin(void) {
    if (atomic_flag_test_and_set(&is_taken))
        return false;
    were_closed = guards_closed();
    if (far_here())
        far_here()->is_shared = true;
    return true;
}

void sharding_end(void) {
    if (far_here())
        far_here()->is_shared = false;
    atomic_flag_clear(&is_taken);
}

bool sharding_is_over(void) {
    if (guards_closed() > were_closed)
        atomic_store(&is_over, true);
    return atomic_load(&is_over);
}

/* Counts a wrong result. If the job's caller is in another process, only marks the job as wrong:
 * that caller may have changed operands during the operation, so the devices may be right. */
void sharding_count_wrong(void) {
    if (far_here())
        far_here()->was_wrong = true;
    else if (atomic_fetch_add(&wrong, 1) + 1 == MOST_WRONG)
        atomic_store(&is_over, true);
}
