/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Marks functions that a sanitizer's own start may call, before its instrumentation works. */
#ifndef MPGPU_UNSANITIZED_H
#define MPGPU_UNSANITIZED_H

#define UNSANITIZED __attribute__((no_sanitize("address"), no_sanitize("thread")))

#endif
