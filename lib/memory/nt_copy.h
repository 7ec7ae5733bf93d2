/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Non-temporal copies into memory that a device reads next. A normal copy would leave the lines
 * in the CPU's cache, from which the link reads only half as fast. */
#ifndef MPGPU_NT_COPY_H
#define MPGPU_NT_COPY_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>

enum { NT_LINE = 64 };

static inline void nt_store_line(char *dst, const char *src) {
    const __m128i *from = (const __m128i *)src;
    __m128i *to = (__m128i *)dst;
    __m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1);
    __m128i c = _mm_loadu_si128(from + 2), d = _mm_loadu_si128(from + 3);
    _mm_stream_si128(to, a);
    _mm_stream_si128(to + 1, b);
    _mm_stream_si128(to + 2, c);
    _mm_stream_si128(to + 3, d);
}

/* Copies {src, bytes} to dst. Call nt_fence after the last copy and before a device copies from
 * dst. */
static inline void nt_store(char *dst, const char *src, size_t bytes) {
    size_t at = -(uintptr_t)dst % NT_LINE;
    at = at < bytes ? at : bytes;
    memcpy(dst, src, at);
    for (; at + NT_LINE <= bytes; at += NT_LINE)
        nt_store_line(dst + at, src + at);
    memcpy(dst + at, src + at, bytes - at);
}

static inline void nt_fence(void) {
    _mm_sfence();
}
#else
static inline void nt_store(char *dst, const char *src, size_t bytes) {
    memcpy(dst, src, bytes);
}

static inline void nt_fence(void) {
}
#endif

/* Copies {src, bytes} to dst. If the device copies from dst afterwards, it reads the new bytes. */
static inline void nt_copy(char *dst, const char *src, size_t bytes) {
    nt_store(dst, src, bytes);
    nt_fence();
}

#endif
