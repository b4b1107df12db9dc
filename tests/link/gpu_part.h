/* gpu_part.h - a second file with kernels */
#ifdef __cplusplus
extern "C" {
#endif
void part_double(int *x, int n); /* a launch of the caller's scope */
int part_devices(void);
#ifdef __cplusplus
}
#endif
