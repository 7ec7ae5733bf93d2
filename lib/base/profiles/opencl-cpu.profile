# A CPU under OpenCL, where the process has two CPUs and more, and the kernels are built already
# (doc/design/building.md).  PoCL 3.1 on 2 cores, 2026-11-25 (doc/measurements/programs.md): sooner than
# GMP by a half and more from these sizes on, with other work on the machine.  ssa takes 1.4 to 11
# times as long as ntt (doc/measurements/ssa.md); fft wins round 2^16 bits
# (doc/measurements/fft_product.md).
backend: opencl
cpu: yes
mul: 32768
sqr: 32768
mulmod: 65536
add: never
batch: never
