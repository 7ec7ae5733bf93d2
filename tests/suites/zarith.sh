# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154 # suites.sh reads these variables, and sets others
# Runs the tests of OCaml's module Zarith, except the tests that make a million calls each.
title='OCaml Zarith' version=1.14

prepare() {
    packages ocaml-nox ocaml-findlib libgmp-dev
    source_of ocaml-zarith
    cd tree || exit
    ./configure
    make -s
    make -s -C tests zq.exe pi.exe ofstring.exe intern.exe
}

same_output() {
    wanted=$1
    shift
    under "$@" | cmp - "$wanted"
}

run() {
    cd tree/tests || exit
    outcome zq same_output zq.output64 ./zq.exe
    outcome pi same_output pi.output ./pi.exe 500
    outcome 'intern 32' same_output intern.output3264 ./intern.exe extern.data32
    outcome 'intern 64' same_output intern.output6464 ./intern.exe extern.data64
    outcome ofstring under ./ofstring.exe
}
