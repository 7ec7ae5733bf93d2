/* SPDX-License-Identifier: LGPL-3.0-or-later
 * Finds the functions and source lines of addresses in ELF files. */
#include "config.h"

#include <elf.h>
#include <string.h>

#include "tools/report/report.h"
#include "tools/run/elf.h"
#include "tools/run/helper.h"

static const ElfW(Shdr) * sections(const struct elf_image *image, unsigned *count) {
    const ElfW(Ehdr) *header = elf_part(image, 0, sizeof *header);
    *count = header && header->e_shentsize == sizeof(ElfW(Shdr)) ? header->e_shnum : 0;
    return *count ? elf_part(image, header->e_shoff, *count * sizeof(ElfW(Shdr))) : NULL;
}

static const ElfW(Shdr) * section_of_type(const struct elf_image *image, unsigned type) {
    unsigned count;
    const ElfW(Shdr) *section = sections(image, &count);
    for (unsigned i = 0; section && i < count; i++)
        if (section[i].sh_type == type)
            return &section[i];
    return NULL;
}

static bool has_section(const struct elf_image *image, const char *name) {
    unsigned count;
    const ElfW(Ehdr) *header = elf_part(image, 0, sizeof *header);
    const ElfW(Shdr) *section = sections(image, &count);
    if (!section || header->e_shstrndx >= count)
        return false;
    for (unsigned i = 0; i < count; i++) {
        const char *text =
            elf_string(image, section[header->e_shstrndx].sh_offset + section[i].sh_name);
        if (text && strcmp(text, name) == 0)
            return true;
    }
    return false;
}

/* Returns the name of the function in the table of type `type` that contains the address, or
 * NULL. */
static const char *find_function(const struct elf_image *image, unsigned type, uint64_t address) {
    unsigned count;
    const ElfW(Shdr) *all = sections(image, &count), *table = section_of_type(image, type);
    if (!table || table->sh_link >= count)
        return NULL;
    const ElfW(Sym) *symbol = elf_part(image, table->sh_offset, table->sh_size);
    for (size_t i = 0; symbol && i < table->sh_size / sizeof *symbol; i++)
        if (ELF64_ST_TYPE(symbol[i].st_info) == STT_FUNC && symbol[i].st_shndx != SHN_UNDEF &&
            address - symbol[i].st_value < symbol[i].st_size)
            return elf_string(image, all[table->sh_link].sh_offset + symbol[i].st_name);
    return NULL;
}

bool symbols_function(const char *path, uint64_t address, char *function, size_t size) {
    struct elf_image image;
    const char *name = NULL;
    if (!elf_map(path, &image))
        return false;
    if (elf_is_native(&image) && !(name = find_function(&image, SHT_SYMTAB, address)))
        name = find_function(&image, SHT_DYNSYM, address);
    if (name)
        snprintf(function, size, "%s", name);
    elf_unmap(&image);
    return name;
}

static bool has_lines(const char *path) {
    struct elf_image image;
    if (!elf_map(path, &image))
        return false;
    bool has = elf_is_native(&image) &&
               (has_section(&image, ".debug_line") || has_section(&image, ".gnu_debuglink"));
    elf_unmap(&image);
    return has;
}

void symbols_line(const char *path, uint64_t address, char *line, size_t size) {
    char number[32], text[8192];
    char *words[] = {(char *)"addr2line", (char *)"-s", (char *)"-e", (char *)path, number, NULL};
    snprintf(number, sizeof number, "0x%llx", (unsigned long long)address);
    *line = '\0';
    if (!has_lines(path) || !run_helper_output(words, text, sizeof text))
        return;
    /* addr2line may print a discriminator behind the line number */
    text[strcspn(text, " \n")] = '\0';
    if (*text && *text != '?')
        snprintf(line, size, "%s", text);
}
