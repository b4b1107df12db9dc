# kissfft: a fast Fourier transform. Its recursion becomes spawn and sync.
package=kissfft version=131.1.0 openmp=1
prepare() { echo 1024 65536 1048576 1500000; } # lengths
build() { # SOURCES PROGRAM COMPILER [OBJECT]
    $3 -std=gnu11 -I"$1" integration/kissfft/transform.c "$1/kiss_fft.c" ${4:-} -o "$2" -pthread -lm
}
execute() { "$1" $(cat "$2"); }
