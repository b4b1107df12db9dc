# lz4: the tool; its legacy format consists of independent blocks. Read, compress, write becomes a pipeline.
package=lz4 version=1.9.4
prepare() { for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do cat impl/*/*.h impl/*/*/*.h; done; }
build() { # SOURCES PROGRAM COMPILER [OBJECT]
    $3 -std=gnu11 -I"$1/lib" -DXXH_NAMESPACE=LZ4_ "$1"/lib/*.c "$1"/programs/*.c ${4:-} -o "$2" -pthread
}
execute() { "$1" -q -l -3 -c "$2"; }
