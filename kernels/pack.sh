#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# LAYOUT=HEADERS pack.sh SOURCE_DIR FOLDER [fatbins] [texts]: writes FOLDER/images.bin, the kernels'
# data, and prints its index, a C file (gpu/images.h).
# With "fatbins", the data contains FOLDER/ID.fatbin for each program ID of kernels/programs.def;
# with "texts", it contains each program's OpenCL source (flatten.sh). In any case it contains the
# beginning of the programs that are written at run time.
set -eu
LC_ALL=C # ranges such as [a-z] and the order of lines depend on the locale
export LC_ALL
dir=$1 folder=$2
shift 2
data=$folder/images.bin
entries=$(sh "$dir/kernels/programs.sh")
head=64 # IMAGES_HEAD (gpu/images.h); everything in images.bin begins at a multiple of it

# add FILE: appends FILE and at least one zero to the data. Sets `place` to the place where FILE
# begins and `length` to its length.
add() {
    place=$size length=$(($(wc -c <"$1")))
    zeros=$((head - length % head))
    { cat "$1" && dd if=/dev/zero bs=1 count=$zeros 2>/dev/null; } >>"$data.body"
    size=$((size + length + zeros))
}

add_fatbins() {
    echo "$entries" | cut -d' ' -f1 >"$data.list"
    while read -r id; do
        add "$folder/$id.fatbin"
        echo "    [GPU_PROGRAM_$id] = {\"$id\", $place}," >>"$data.fatbins"
    done <"$data.list"
}

# Adds the OpenCL sources. A file that several programs use is stored once.
add_texts() {
    places=
    echo "$entries" | cut -d' ' -f2 | sort -u >"$data.list"
    while read -r file; do
        sh "$dir/kernels/flatten.sh" "$dir" "kernels/$file" >"$data.text"
        add "$data.text"
        places="$places$file $place, $length
"
    done <"$data.list"
    echo "$entries" | while read -r id file defines; do
        text=$(echo "$places" | sed -n "s|^$file ||p")
        echo "    [GPU_PROGRAM_$id] = {\"$id\", \"$defines\", $text},"
    done >"$data.texts"
}

# Adds the beginning that all programs generated at run time have. Sets `template` to its place and
# length.
add_template() {
    sh "$dir/kernels/flatten.sh" "$dir" kernels/batch/expression.h >"$data.text"
    add "$data.text"
    template="$place, $length"
}

size=$head
: >"$data.body"
: >"$data.fatbins"
: >"$data.texts"
for kind; do
    "add_$kind"
done
add_template
# The id is the checksum and the length of the data and of the headers in LAYOUT. So processes with
# the same id also have the same layout of what they exchange.
set --
for header in $LAYOUT; do
    set -- "$@" "$dir/$header"
done
id=$(cat "$data.body" "$@" | cksum)
{
    printf '%-15s\0%s' 'mpgpu kernels:
' "$id"
    dd if=/dev/zero bs=1 count=$((head - 16 - ${#id})) 2>/dev/null
    cat "$data.body"
} >"$data"

cat <<END
/* Made by kernels/pack.sh. */
#include "gpu/images.h"
const char gpu_images_id[IMAGES_HEAD - sizeof IMAGES_MAGIC] = "$id";
const size_t gpu_images_size = $size;
const struct gpu_template gpu_template = {$template};
const struct gpu_fatbin gpu_fatbins[GPU_PROGRAMS] = {
$(cat "$data.fatbins")
};
const struct gpu_source gpu_sources[GPU_PROGRAMS] = {
$(cat "$data.texts")
};
END
rm -f "$data.body" "$data.list" "$data.text" "$data.fatbins" "$data.texts"
