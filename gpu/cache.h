/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A folder of built programs, one file each. A file's name is a hash of everything that the build
 * depends on. No failure here is an error: the program is built again, and a message has the
 * reason. */
#ifndef MPGPU_CACHE_H
#define MPGPU_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/sha256.h"

struct cache_key {
    unsigned char digest[SHA256_BYTES];
};

/* Copies the cache folder's path, set by gpu_set_cache_dir, to `name`. Returns false if the
 * cache is off. */
bool cache_get_dir(char *name, size_t size);

/* Computes the key of a list of strings, which ends with NULL. */
void cache_key_make(struct cache_key *key, const char *const *parts);

/* Returns the content stored under a key, and its size; the caller frees the content with free().
 * Returns NULL if there is no file, or if it is damaged, another user's or writable for others. */
void *cache_read(const struct cache_key *key, size_t *size);

/* Returns true if the cache has an entry for a key. */
bool cache_has(const struct cache_key *key);

/* Stores the content under a key. */
void cache_write(const struct cache_key *key, const void *content, size_t size);

#endif
