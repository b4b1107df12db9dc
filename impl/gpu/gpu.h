/* gpu.h - the implementation of df_gpu.h, in order */
#ifndef DFI_GPU_GPU_H
#define DFI_GPU_GPU_H

#if !defined(DF_SERIAL)
#include "driver.h"
#endif
#include "host/host.h"
#include "../base/replace.h"
#include "store.h"
#include "graph.h"
#if defined(DF_SERIAL)
#include "../serial/gpu.h"
#else
#include "kernel/scan.h"
#include "kernel/prelude.h"
#include "kernel/text.h"
#include "kernel/cache.h"
#include "sim/queue.h"
#include "sim/sim.h"
#include "opencl/api.h"
#include "opencl/queue.h"
#include "opencl/build.h"
#include "opencl/opencl.h"
#include "cuda/api.h"
#include "cuda/queue.h"
#include "cuda/copy.h"
#include "cuda/build.h"
#include "cuda/cuda.h"
#include "kernel/try.h"
#include "record.h"
#include "memory.h"
#include "history.h"
#include "trace.h"
#include "engine.h"
#include "going.h"
#include "choose.h"
#include "launch.h"
#include "data.h"
#endif
#include "pick.h"
#include "tune.h"
#include "dist/box.h"
#include "dist/dist.h"
#include "dist/halo.h"
#include "dist/new.h"

#endif
