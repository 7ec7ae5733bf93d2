/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes residues of batches on the host, and compares them with the residues that the device
 * computed (lib/device/kept.h). */
#include "lib/base/log.h"
#include "lib/device/limbs_residue.h"
#include "lib/device/modulus.h"
#include "lib/device/tables.h"
#include "lib/job/batch_store.h"
#include "lib/session/session.h"

uint64_t batch_residue(const void *from, size_t at, size_t bytes) {
    return limbs_residue_at(from, bytes / sizeof(uint64_t), at / sizeof(uint64_t),
                            tables_check_modulus());
}

bool batch_is_kept(const struct batch_store *store, uint64_t residue) {
    if (!store->is_kept || residue == store->residue)
        return true;
    session_fault();
    mpgpu_log(LOG_WARNING, "the numbers of a batch have changed in device memory");
    return false;
}

uint64_t batch_add_residues(uint64_t a, uint64_t b) {
    return residue_plus(a, b, tables_check_modulus().m);
}
