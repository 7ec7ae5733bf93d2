# Measured on 2026-11-21: products beside Ubuntu's GMP 6.3.0, pi to 10^7 digits with
# thresholds from 600 to 8000.
backend: cuda
device: NVIDIA H200
mul: 800
sqr: 1000
mulmod: 1600
add: never
