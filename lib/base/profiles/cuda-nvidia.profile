# Not measured: twice the H200's and more.
# batch: where an option asks for it, until its tests have passed there (doc/batch.md).
backend: cuda
vendor: NVIDIA
cpu: no
mul: 2000
sqr: 2500
mulmod: 4000
add: never
batch: never
