/* image.h - what the double's compiler makes: this, and the bytes of a shared library */
#ifndef IMAGE_H
#define IMAGE_H

#define IMAGE_MAGIC "CUDA double"
struct image { char magic[sizeof IMAGE_MAGIC]; int is_ptx, arch; size_t bytes; uint64_t sum; };

static inline uint64_t image_sum(const char *p, size_t bytes)
{
    uint64_t h = 14695981039346656037u;
    size_t i;
    for (i = 0; i < bytes; i++) h = (h ^ (unsigned char)p[i]) * 1099511628211u;
    return h;
}

#endif
