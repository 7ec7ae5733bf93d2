# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh
# Sourced by scripts that measure and test on an NVIDIA GPU, on machines where OpenCL may also have
# other platforms.

# Restricts OpenCL to NVIDIA's platform: writes its .icd file into folder $1 and asks mpgpu-info $2
# whether the loader finds it.  Sets OCL_ICD_VENDORS, and OCL_ICD_FILENAMES, which some loaders read
# first.  Status 1 and a message if the platform is not found.
nvidia_opencl_only() {
    mkdir -p "$1"
    echo libnvidia-opencl.so.1 >"$1/nvidia.icd"
    if MPGPU_CONF=backend:none OCL_ICD_VENDORS=$1 OCL_ICD_FILENAMES=libnvidia-opencl.so.1 "$2" |
        grep -q '^backend opencl: [1-9]'; then
        export OCL_ICD_VENDORS="$1" OCL_ICD_FILENAMES=libnvidia-opencl.so.1
    else
        echo "no libnvidia-opencl.so.1 for OpenCL: not NVIDIA's is measured or tested, but what else is there" >&2
        return 1
    fi
}
