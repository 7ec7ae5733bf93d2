# Not measured: four times the H200's.
# batch: where an option asks for it, until its tests have passed there (doc/batch.md).
backend: opencl
vendor: NVIDIA
cpu: no
mul: 4000
sqr: 5000
mulmod: 8000
add: never
batch: never
