/* SPDX-License-Identifier: LGPL-3.0-or-later
 * The largest operands of a product inside one work-group, in words. */
#ifndef BLOCK_H
#define BLOCK_H

#define BLOCK_WORDS 512

#endif
