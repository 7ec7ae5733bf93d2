#!/bin/bash
# SPDX-License-Identifier: LGPL-3.0-or-later
set -eu
autoreconf -fi
mkdir -p build-conda
cd build-conda
cuda=no
if [ "${cuda_compiler_version:-None}" != None ]; then
    cuda=yes
fi
../configure --prefix="$PREFIX" --with-opencl=yes --with-cuda=$cuda --with-mpi=no --with-ucx=no
make -j"${CPU_COUNT:-1}"
make install
rm -f "$PREFIX/lib/libmpgpu-gmp.la"
