/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds and maps the file that contains the kernels (images.h). */
#define _GNU_SOURCE 1 /* dladdr */
#include "config.h"

#include "gpu/images.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/error.h"

enum { FOLDERS = 4, MOST_PATH = 4096 };

#define FILE_NAME "mpgpu-gmp/images.bin"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const unsigned char *mapped;

static bool is_head(const unsigned char *at) {
    return memcmp(at, IMAGES_MAGIC, sizeof IMAGES_MAGIC) == 0 &&
           memcmp(at + sizeof IMAGES_MAGIC, gpu_images_id, sizeof gpu_images_id) == 0;
}

/* The file's group may write it, as it may write the library in a build tree made with umask 002.
 */
static const unsigned char *map_file(int file, unsigned owner) {
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0 ||
        (status.st_uid != owner && status.st_uid != 0) || (status.st_mode & S_IWOTH))
        return NULL;
    const size_t size = (size_t)status.st_size;
    unsigned char *head = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (head == MAP_FAILED)
        return NULL;
    if (size == gpu_images_size && is_head(head))
        return head;
    munmap(head, size);
    return NULL;
}

const unsigned char *gpu_images_map(const char *path, unsigned owner) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return NULL;
    const unsigned char *head = map_file(file, owner);
    close(file);
    return head;
}

/* Looks for images.bin in the folder `path`, of length `length`: in its subfolder kernels/ (of a
 * build tree), in the folder itself, in its lib/ and in its lib64/. */
static const unsigned char *look_into(char *path, size_t length, unsigned owner) {
    static const char *const names[] = {"/kernels/images.bin", "/" FILE_NAME, "/lib/" FILE_NAME,
                                        "/" LIBDIR_NAME "/" FILE_NAME};
    const unsigned char *head = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !head; i++) {
        strcpy(path + length, names[i]);
        head = gpu_images_map(path, owner);
    }
    path[length] = '\0';
    return head;
}

static const void *base_of(const void *address) {
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Sets `path` to the file that contains this code. If this is the program itself, uses
 * /proc/self/exe, because the dynamic linker may know only a name without its folder. */
static bool find_file(char path[MOST_PATH]) {
    Dl_info info;
    const void *program = (const void *)getauxval(AT_PHDR); // NOLINT(performance-no-int-to-ptr)
    if (dladdr(gpu_images_id, &info) && info.dli_fbase != base_of(program))
        return realpath(info.dli_fname, path) != NULL;
    const ssize_t length = readlink("/proc/self/exe", path, MOST_PATH - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* Looks for images.bin in the folder of `file`, and in the folders above it. */
static const unsigned char *look_around(const char *file, unsigned owner) {
    char path[MOST_PATH + sizeof "//kernels/" LIBDIR_NAME FILE_NAME];
    const unsigned char *head = NULL;
    strcpy(path, file);
    for (int i = 0; i < FOLDERS && !head; i++) {
        char *slash = strrchr(path, '/');
        if (!slash)
            break;
        *slash = '\0';
        head = look_into(path, (size_t)(slash - path), owner);
    }
    return head;
}

static const unsigned char *look(void) {
    char file[MOST_PATH];
    struct stat status;
    const bool is_found = find_file(file) && stat(file, &status) == 0;
    const unsigned owner = is_found ? status.st_uid : 0;
    const unsigned char *head = is_found && !getauxval(AT_SECURE) ? look_around(file, owner) : NULL;
    if (!head)
        head = gpu_images_map(LIBDIR "/" FILE_NAME, owner);
    if (!head)
        gpu_fail(GPU_NOBUILD, "no kernels: no %s of this build near %s or in %s", FILE_NAME,
                 is_found ? file : "the program", LIBDIR);
    return head;
}

const unsigned char *gpu_images(void) {
    pthread_mutex_lock(&mutex);
    if (!mapped)
        mapped = look();
    const unsigned char *head = mapped;
    pthread_mutex_unlock(&mutex);
    return head;
}
