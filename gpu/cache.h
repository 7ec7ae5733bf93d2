/* SPDX-License-Identifier: LGPL-3.0-or-later
 * A folder of built programs, one file each, named by the hash of all that the
 * build depends on.  Whatever goes wrong here only costs a build: nothing fails,
 * a message of the level "detail" says what happened. */
#ifndef MPGPU_CACHE_H
#define MPGPU_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/sha256.h"

struct cache_key {
    unsigned char digest[SHA256_BYTES];
};

/* Copies the folder that gpu_set_cache_dir has set.  Returns false if the cache is off. */
bool cache_get_dir(char *name, size_t size);

/* The key of a list of strings, NULL at its end. */
void cache_key_make(struct cache_key *key, const char *const *parts);

/* Returns the content of a key, which the caller releases by free(), and its size.  NULL if there
 * is none, or its file is damaged or not the user's. */
void *cache_read(const struct cache_key *key, size_t *size);

/* Returns true if the cache has an entry for a key. */
bool cache_has(const struct cache_key *key);

/* Put content under a key. */
void cache_write(const struct cache_key *key, const void *content, size_t size);

#endif
