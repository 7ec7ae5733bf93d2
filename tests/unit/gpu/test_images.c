/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Tests the file that contains the kernels' texts and images. Every process that opens a driver
 * maps this file. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/images.h"
#include "tests/support/testing.h"

static char path[] = "/tmp/mpgpu-test-images-XXXXXX";

static void setup(void) {
    int file = mkstemp(path);
    ck_assert_int_ge(file, 0);
    close(file);
}

static void teardown(void) {
    unlink(path);
}

/* Writes a file: `before` bytes of zeros, then `size` bytes, which begin with a header that has
 * `id`. The rest is zeros. */
static void put(size_t before, const char *id, size_t size) {
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(ftruncate(fileno(file), (off_t)(before + size)), 0);
    fseek(file, (long)before, SEEK_SET);
    fwrite(IMAGES_MAGIC, sizeof IMAGES_MAGIC, 1, file);
    fwrite(id, sizeof gpu_images_id, 1, file);
    ck_assert_int_eq(fclose(file), 0);
}

/* Checks that the kernels for Fourier transforms are the same for CPUs and for GPUs. Their tests
 * rely on this and run once on a CPU (tests/support/backends.h). Kernels for transforms modulo
 * primes differ. */
START_TEST(forms) {
    const char *texts = (const char *)gpu_images();
    ck_assert_ptr_nonnull(texts);
    for (int i = 0; i < GPU_PROGRAMS; i++) {
        const struct gpu_source *source = &gpu_sources[i];
        bool has_two = *source->name && strstr(texts + source->place, "ON_CPU");
        if (strncmp(source->name, "fft_", 4) == 0)
            ck_assert_msg(!has_two, "%s has two forms", source->name);
        if (i == GPU_PROGRAM_strided_5)
            ck_assert_int_eq(has_two, *source->name != '\0');
    }
}
END_TEST

/* Maps the file of the build tree. Checks its header. The library's index must point to the
 * kernels' texts in the file. */
START_TEST(found) {
    const unsigned char *head = gpu_images();
    ck_assert_msg(head, "%s", gpu_error_text());
    ck_assert_mem_eq(head, IMAGES_MAGIC, sizeof IMAGES_MAGIC);
    ck_assert_mem_eq(head + sizeof IMAGES_MAGIC, gpu_images_id, sizeof gpu_images_id);
    ck_assert_ptr_eq(gpu_images(), head);
    for (int i = 0; i < GPU_PROGRAMS; i++) {
        const struct gpu_source *source = &gpu_sources[i];
        if (!*source->name)
            continue; /* the source has no name if its backend was not built */
        const char *text = (const char *)head + source->place;
        ck_assert_uint_lt(source->place + source->length, gpu_images_size);
        ck_assert_int_eq(strncmp(text, "#line 1 \"kernels/", 17), 0);
        ck_assert_uint_eq(strlen(text), source->length);
    }
    ck_assert_uint_gt(gpu_template.length, 1000);
    ck_assert_uint_eq(strlen((const char *)head + gpu_template.place), gpu_template.length);
    for (int i = 0; i < GPU_PROGRAMS; i++) {
        static const unsigned char magic[] = {0x50, 0xed, 0x55, 0xba};
        if (*gpu_fatbins[i].name)
            ck_assert_mem_eq(head + gpu_fatbins[i].place, magic, sizeof magic);
    }
}
END_TEST

START_TEST(place) {
    const unsigned owner = geteuid();
    put(0, gpu_images_id, gpu_images_size);
    ck_assert_ptr_nonnull(gpu_images_map(path, owner));
    put(64, gpu_images_id, gpu_images_size);
    ck_assert_ptr_null(gpu_images_map(path, owner));
}
END_TEST

/* Checks that these files are refused: a file of another build, a file that was cut off, a missing
 * one, one of another user, and one that others can write. */
START_TEST(refused) {
    const unsigned owner = geteuid();
    char id[sizeof gpu_images_id];
    memcpy(id, gpu_images_id, sizeof id);
    id[0] ^= 1;
    put(0, id, gpu_images_size);
    ck_assert_ptr_null(gpu_images_map(path, owner));
    put(0, gpu_images_id, gpu_images_size - 1);
    ck_assert_ptr_null(gpu_images_map(path, owner));
    ck_assert_int_eq(truncate(path, 0), 0);
    ck_assert_ptr_null(gpu_images_map(path, owner));
    ck_assert_ptr_null(gpu_images_map("/tmp", owner));
    ck_assert_ptr_null(gpu_images_map("/nonexistent", owner));
    put(0, gpu_images_id, gpu_images_size);
    chmod(path, 0646);
    ck_assert_ptr_null(gpu_images_map(path, owner));
    chmod(path, 0664);
    ck_assert_ptr_nonnull(gpu_images_map(path, owner));
    if (owner == 0)
        ck_assert_int_eq(chown(path, 12345, 0), 0);
    if (owner == 0)
        ck_assert_ptr_nonnull(gpu_images_map(path, 12345));
    ck_assert_ptr_null(gpu_images_map(path, owner + 1));
}
END_TEST

int main(void) {
    testing_set_up = setup;
    testing_tear_down = teardown;
    return testing_main("images", 60, TESTS(ONCE(found), ONCE(forms), ONCE(place), ONCE(refused)));
}
