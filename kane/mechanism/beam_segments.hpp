#pragma once
// A beam cut into segments, for deflections beyond what modes of one beam can describe: each segment is a beam of its own
// with a frame that turns with the end of the one before. Deflections are small in every segment, and results converge
// with the cube of the number of segments.

#include <string>

#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// The most segments of one beam.
constexpr int kMostBeamSegments = 100;

/// The name of segment k, from 1: "B", "B_2", "B_3", ...
[[nodiscard]] std::string segment_name(const std::string& body, int k);

/// Cuts the beam into `count` equal segments that are welded one to the next. All have the modes of the beam; the modes of
/// segment k are B_k_q1, B_k_q2, ... What is attached to the beam beyond the first segment goes to its segment, so
/// call this when everything is attached. Throws ModelError if something slides along the beam, or if the joint that
/// places the beam does not hold it at s = 0.
void cut_into_segments(Mechanism& mechanism, const std::string& body, int count);

}  // namespace kane
