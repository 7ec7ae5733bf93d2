/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Non-temporal copies into memory that a device reads next. A normal copy would leave the lines
 * in the CPU's cache, from which the link reads only half as fast. */
#ifndef MPGPU_NT_COPY_H
#define MPGPU_NT_COPY_H

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>

/* Copies {src, bytes} to dst, which is aligned to 64 bytes. If the device copies from dst
 * afterwards, it reads the new bytes. */
static inline void nt_copy(char *dst, const char *src, size_t bytes) {
    size_t at = 0;
    for (; at + 64 <= bytes; at += 64) {
        const __m128i *from = (const __m128i *)(src + at);
        __m128i *to = (__m128i *)(dst + at);
        __m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1);
        __m128i c = _mm_loadu_si128(from + 2), d = _mm_loadu_si128(from + 3);
        _mm_stream_si128(to, a);
        _mm_stream_si128(to + 1, b);
        _mm_stream_si128(to + 2, c);
        _mm_stream_si128(to + 3, d);
    }
    memcpy(dst + at, src + at, bytes - at);
    _mm_sfence();
}
#else
static inline void nt_copy(char *dst, const char *src, size_t bytes) {
    memcpy(dst, src, bytes);
}
#endif

#endif
