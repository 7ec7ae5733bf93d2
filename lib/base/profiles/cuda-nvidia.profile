# Not measured: twice the H200's and more.
# batch is four times the H200's.
backend: cuda
vendor: NVIDIA
cpu: no
mul: 2000
sqr: 2500
mulmod: 4000
add: never
batch: 65536
