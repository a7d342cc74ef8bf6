#pragma once
// The names that a user of a mechanism may use, and the objects of the System they stand for.
//
//   frames   the ground, bodies, named frames ("tool" or "hand.tool"), intermediate frames of joints ("wrist.f1" after
//            the first motion of the joint "wrist")
//   points   the ground and bodies (their origins), mass centres ("arm.com"), particles, named points ("tip" or
//            "arm.tip"), joints (the joint's point on the child's side)

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kane/mechanics/system.hpp"

namespace kane {

class ModelNames {
 public:
  void add_frame(const std::string& name, FrameId id) { add(frames_, name, id); }
  void add_point(const std::string& name, PointId id) { add(points_, name, id); }
  void add_body(const std::string& name, BodyId id) { bodies_.emplace(name, id); }
  /// A part of a body: known as "body.part", and as "part" as long as that is unique and free.
  void add_frame_of(const std::string& body, const std::string& name, FrameId id);
  void add_point_of(const std::string& body, const std::string& name, PointId id);
  /// Where a load on a body attacks, if the body itself is named: its mass centre.
  void add_load_point(const std::string& body, PointId id) { load_points_.emplace(body, id); }

  [[nodiscard]] bool has_frame(std::string_view name) const { return frames_.known.contains(name); }
  [[nodiscard]] bool has_point(std::string_view name) const { return points_.known.contains(name); }
  [[nodiscard]] bool has_body(std::string_view name) const { return bodies_.contains(name); }
  /// All throw ModelError with a suggestion.
  [[nodiscard]] FrameId frame(std::string_view name) const;
  [[nodiscard]] PointId point(std::string_view name) const;
  [[nodiscard]] PointId load_point(std::string_view name) const;
  [[nodiscard]] BodyId body(std::string_view name) const;

  [[nodiscard]] std::vector<std::string> frame_names() const { return names(frames_); }
  [[nodiscard]] std::vector<std::string> point_names() const { return names(points_); }

 private:
  template <class Id>
  struct Names {
    std::map<std::string, Id, std::less<>> known;
    std::map<std::string, std::vector<std::string>, std::less<>> ambiguous;  ///< bare name -> full names
    std::map<std::string, std::string, std::less<>> bare;                    ///< bare name -> its full name
  };
  template <class Id>
  static void add(Names<Id>& names, const std::string& name, Id id);
  template <class Id>
  static void add_of(Names<Id>& names, const std::string& body, const std::string& name, Id id);
  template <class Id>
  static Id get(const Names<Id>& names, std::string_view name, std::string_view what);
  template <class Id>
  static std::vector<std::string> names(const Names<Id>& all);

  Names<FrameId> frames_;
  Names<PointId> points_;
  std::map<std::string, PointId, std::less<>> load_points_;
  std::map<std::string, BodyId, std::less<>> bodies_;
};

}  // namespace kane
