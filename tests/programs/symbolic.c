/* SPDX-License-Identifier: LGPL-3.0-or-later
 * symbolic FILE COPY: copies a shared library and makes the copy's functions protected symbols.
 * The copy then calls its own functions directly, while calls from outside can still be intercepted
 * by a preload.  Thus a libgmp whose inner calls can be intercepted becomes one like Ubuntu's,
 * which is linked with -Bsymbolic-functions. */
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __ELF_NATIVE_CLASS == 64
#define TYPE_OF(info) ELF64_ST_TYPE(info)
#define NATIVE_CLASS ELFCLASS64
#else
#define TYPE_OF(info) ELF32_ST_TYPE(info)
#define NATIVE_CLASS ELFCLASS32
#endif

struct image {
    const char *name;
    char *start;
    size_t bytes;
};

static void __attribute__((noreturn)) fail(const char *name, const char *what) {
    fprintf(stderr, "symbolic: %s: %s\n", name, what);
    exit(2);
}

static struct image read_file(const char *name) {
    FILE *f = fopen(name, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        fail(name, "cannot be read");
    long end = ftell(f);
    rewind(f);
    char *start = end > 0 ? malloc((size_t)end) : NULL;
    if (!start || fread(start, 1, (size_t)end, f) != (size_t)end)
        fail(name, "cannot be read");
    fclose(f);
    return (struct image){name, start, (size_t)end};
}

static void write_file(const char *name, const struct image *image) {
    FILE *f = fopen(name, "wb");
    if (!f || fwrite(image->start, 1, image->bytes, f) != image->bytes || fclose(f) != 0)
        fail(name, "cannot be written");
}

/* Returns the address of `count` elements of `size` bytes at an offset of the file.  Ends the
 * program if the file is shorter. */
static void *part(const struct image *image, size_t offset, size_t count, size_t size) {
    if (offset > image->bytes || count > (image->bytes - offset) / size)
        fail(image->name, "not a complete shared library of this machine");
    return image->start + offset;
}

/* Makes functions in a symbol table protected.  Returns their number. */
static int protect_functions(ElfW(Sym) * symbols, size_t count) {
    int functions = 0;
    for (size_t i = 0; i < count; i++) {
        if (TYPE_OF(symbols[i].st_info) == STT_FUNC && symbols[i].st_shndx != SHN_UNDEF) {
            symbols[i].st_other = STV_PROTECTED;
            functions++;
        }
    }
    return functions;
}

int main(int argc, char **argv) {
    if (argc != 3)
        fail("usage", "symbolic FILE COPY");
    struct image image = read_file(argv[1]);
    const ElfW(Ehdr) *header = part(&image, 0, 1, sizeof *header);
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != NATIVE_CLASS)
        fail(image.name, "not a shared library of this machine");
    const ElfW(Shdr) *sections = part(&image, header->e_shoff, header->e_shnum, sizeof *sections);
    int functions = 0;
    for (int i = 0; i < header->e_shnum; i++) {
        size_t count = sections[i].sh_size / sizeof(ElfW(Sym));
        if (sections[i].sh_type == SHT_DYNSYM)
            functions += protect_functions(
                part(&image, sections[i].sh_offset, count, sizeof(ElfW(Sym))), count);
    }
    if (!functions)
        fail(image.name, "exports no function");
    write_file(argv[2], &image);
    free(image.start);
    return 0;
}
