/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Lists of folders, as in LD_LIBRARY_PATH. */
#ifndef MPGPU_FOLDERS_H
#define MPGPU_FOLDERS_H

#include <stdbool.h>

/* Calls `visit` for each folder of the list, between colons or semicolons, until it returns true;
 * returns whether it did.  An empty list has none; an empty folder in a list is "", the current
 * one.  Folders of 4096 bytes and more are passed over. */
bool folders_each(const char *list, bool (*visit)(const char *folder, void *context),
                  void *context);

#endif
