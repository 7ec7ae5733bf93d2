/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Where the kernels' data lies: here, or in the library's file. */
#include "config.h"

#include "gpu/images.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/error.h"

enum { FOLDERS = 4, MOST_PATH = 4096 };

/* Defined in the library alone. */
extern const unsigned char gpu_images_here[] __attribute__((weak, visibility("hidden")));

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const unsigned char *mapped;

static bool is_head(const unsigned char *at) {
    return memcmp(at, IMAGES_MAGIC, sizeof IMAGES_MAGIC) == 0 &&
           memcmp(at + sizeof IMAGES_MAGIC, gpu_images_id, sizeof gpu_images_id) == 0;
}

/* The head stands at a multiple of its length. */
static const unsigned char *find_head(const unsigned char *file, size_t size) {
    for (size_t at = 0; size >= gpu_images_size && at <= size - gpu_images_size; at += IMAGES_HEAD)
        if (is_head(file + at))
            return file + at;
    return NULL;
}

static const unsigned char *map_file(int file, unsigned owner) {
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0 ||
        (status.st_uid != owner && status.st_uid != 0) || (status.st_mode & S_IWOTH))
        return NULL;
    size_t size = (size_t)status.st_size;
    unsigned char *begin = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (begin == MAP_FAILED)
        return NULL;
    const unsigned char *head = find_head(begin, size);
    if (!head)
        munmap(begin, size);
    return head;
}

const unsigned char *gpu_images_map(const char *path, unsigned owner) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return NULL;
    const unsigned char *head = map_file(file, owner);
    close(file);
    return head;
}

/* In the folder `path`, whose length is `length`, and those named libraries' there. */
static const unsigned char *look_into(char *path, size_t length, unsigned owner) {
    static const char *const names[] = {"/" LIBRARY, "/.libs/" LIBRARY, "/lib/" LIBRARY,
                                        "/" LIBDIR_NAME "/" LIBRARY};
    const unsigned char *head = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !head; i++) {
        strcpy(path + length, names[i]);
        head = gpu_images_map(path, owner);
    }
    path[length] = '\0';
    return head;
}

/* Beside the program, and above. */
static const unsigned char *look_around(unsigned owner) {
    char path[MOST_PATH + sizeof "//.libs/" LIBDIR_NAME LIBRARY];
    ssize_t length = readlink("/proc/self/exe", path, MOST_PATH);
    if (length <= 0 || length >= MOST_PATH)
        return NULL;
    path[length] = '\0';
    const unsigned char *head = NULL;
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
    struct stat program;
    const unsigned owner = stat("/proc/self/exe", &program) == 0 ? program.st_uid : 0;
    const unsigned char *head = getauxval(AT_SECURE) ? NULL : look_around(owner);
    if (!head)
        head = gpu_images_map(LIBDIR "/" LIBRARY, owner);
    if (!head)
        gpu_fail(GPU_NOBUILD, "no kernels: no %s of this build near the program or in %s", LIBRARY,
                 LIBDIR);
    return head;
}

const unsigned char *gpu_images(void) {
    if (gpu_images_here)
        return gpu_images_here;
    pthread_mutex_lock(&mutex);
    if (!mapped)
        mapped = look();
    const unsigned char *head = mapped;
    pthread_mutex_unlock(&mutex);
    return head;
}
