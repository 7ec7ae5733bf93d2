#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# pictures.sh PROGRAM FOLDER draws the pictures of doc/pictures/ into FOLDER.
set -eu
program=$1
folder=$2
mkdir -p "$folder"

picture() {
    name=$1
    shift
    echo "$folder/$name.png"
    "$program" --output "$folder/$name.png" "$@"
}

picture whole --size 640x400 --samples 4 --cycle 22 --position 84 --iterations 2000

# Draws spirals of the seahorse valley.
picture seahorse --size 480x300 --samples 4 --radius 3e-5 --iterations 5000 \
    --centre=-0.743643887037158704752191506114774,0.131825904205311970493132056385139

# Draws a view a billion times deeper than double precision allows, with numbers of 128 bits.
picture deep --size 480x300 --samples 3 --radius 3e-21 --iterations 20000 --palette glacier \
    --x -0.74364388703746171803917467960428994936 --y 0.13182590420355628714109701105453899080

# Draws a view that needs more than 256 bits, by perturbation of a reference orbit.
picture deeper --size 480x300 --samples 3 --radius 3e-100 --iterations 40000 \
    --x -0.10039866930026924901206465211055396655628342866820794620303485054403154875069915327198904033685235057735533601465 \
    --y 0.95707512228964975867316123790087122296311032506881375279107928239702706447808269340194594357964885657262853406631
