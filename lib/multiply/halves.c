/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Computes a whole product from the same product modulo B^n - 1 and modulo B^n + 1 (B = 2^32):
 * launches kernels/sums/halves.cl. */
#include "lib/multiply/halves.h"

#include "kernels/common/carry.h"
#include "kernels/sums/halves.h"
#include "lib/base/ceil_div.h"
#include "lib/device/launch.h"

enum gpu_status halves_begin(struct context *s, uint64_t n) {
    gpu_mem unused;
    return number_flags(s, 2 * (n / CARRY_CHUNK) + 1, &unused);
}

enum gpu_status halves_join(struct context *s, struct number r, struct number a, struct number b,
                            uint64_t chunk, uint64_t count) {
    return launch_halves_join(s, launch_row(count), r.mem, r.at, r.words, a.mem, a.at, b.mem, b.at,
                              a.words, chunk, s->slot[SLOT_FLAGS].mem);
}

enum gpu_status halves_end(struct context *s, struct number r, uint64_t n) {
    gpu_mem flags = s->slot[SLOT_FLAGS].mem;
    uint64_t groups = ceil_div(n / CARRY_CHUNK, HALVES_CHUNKS);
    enum gpu_status status =
        launch_halves_carry(s, launch_grid(groups, 2), r.mem, r.at, r.words, n, flags);
    return status == GPU_OK ? launch_halves_end(s, launch_row(1), r.mem, r.at, r.words, n, flags)
                            : status;
}

enum gpu_status halves_make(struct context *s, struct number r, struct number a, struct number b) {
    enum gpu_status status = halves_begin(s, a.words);
    if (status == GPU_OK)
        status = halves_join(s, r, a, b, 0, a.words / CARRY_CHUNK);
    return status == GPU_OK ? halves_end(s, r, a.words) : status;
}
