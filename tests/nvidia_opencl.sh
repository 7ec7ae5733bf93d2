# SPDX-License-Identifier: LGPL-3.0-or-later
# Sourced by scripts that measure and test on a GPU, where OpenCL may have other platforms too.

# Leave OpenCL NVIDIA's platform alone, if the loader finds that: a folder $1 for the file
# that says so, the mpgpu-info $2 to ask.  Sets OCL_ICD_VENDORS.
nvidia_opencl_only() {
    mkdir -p "$1"
    echo libnvidia-opencl.so.1 >"$1/nvidia.icd"
    if MPGPU_CONF=backend:none OCL_ICD_VENDORS=$1 "$2" | grep -q '^backend opencl: [1-9]'; then
        export OCL_ICD_VENDORS="$1"
    fi
}
