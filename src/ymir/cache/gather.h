// The parts of a frame that the ranks hold, joined on rank 0 for the cache.
#pragma once

#include <vector>

#include "ymir/data/frame.h"
#include "ymir/parallel/communicator.h"

namespace ymir {

// Joins each channel of each object in rank order; any rank may hold any part. All ranks have the same objects with the
// same channels, on the same places; only counts differ. Attributes, and channels whose name starts with '@', are the
// same everywhere and taken from rank 0. Indices into vertices are shifted: `first` (i64, strands + 1) of curves, whose
// leading 0 is kept once, and `triangles` (i32) of surfaces. Strands with a number (`strand`) come in its order.
Frame join_frames(std::vector<Frame> parts);

// join_frames over the ranks: the whole frame on rank 0, the frame without objects elsewhere. Collective.
Frame gather_frame(Frame local, Communicator& communicator);

}  // namespace ymir
