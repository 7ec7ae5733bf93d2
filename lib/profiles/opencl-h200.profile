# Measured on 2026-11-21.
backend: opencl
device: NVIDIA H200
mul: 1000
sqr: 1200
mulmod: 2000
add: never
