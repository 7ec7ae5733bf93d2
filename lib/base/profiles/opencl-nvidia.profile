# Not measured: four times the H200's.
backend: opencl
vendor: NVIDIA
cpu: no
mul: 4000
sqr: 5000
mulmod: 8000
add: never
batch: 65536
