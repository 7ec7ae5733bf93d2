/* SPDX-License-Identifier: LGPL-3.0-or-later
 * SHA-256 (FIPS 180-4), for the keys of the cache and the checksums of its files. */
#ifndef MPGPU_SHA256_H
#define MPGPU_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32 };

struct sha256 {
    uint32_t state[8];
    uint64_t bytes;          /* fed so far */
    unsigned char block[64]; /* input bytes of an incomplete block */
};

void sha256_start(struct sha256 *h);
void sha256_feed(struct sha256 *h, const void *data, size_t bytes);
void sha256_end(struct sha256 *h, unsigned char digest[SHA256_BYTES]);

#endif
