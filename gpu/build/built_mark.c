/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A file in the cache that records that all programs for CPUs are built. */
#include "gpu/build/built_mark.h"

#include "gpu/cache.h"
#include "gpu/gpu.h"
#include "gpu/images.h"

static void make_key(struct cache_key *key) {
    const char *const parts[] = {"the programs of a CPU", gpu_images_id, NULL};
    cache_key_make(key, parts);
}

void built_mark_set(void) {
    static const char content[] = "all";
    struct cache_key key;
    make_key(&key);
    if (!cache_has(&key))
        cache_write(&key, content, sizeof content);
}

bool gpu_cpu_is_built(void) {
    struct cache_key key;
    make_key(&key);
    return cache_has(&key);
}
