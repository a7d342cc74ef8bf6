#include "kane/mechanism/model_names.hpp"

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/infix.hpp"

namespace kane {

template <class Id>
void ModelNames::add(Names<Id>& names, const std::string& name, Id id) {
  names.known.emplace(name, id);
}

template <class Id>
void ModelNames::add_of(Names<Id>& names, const std::string& body, const std::string& name, Id id) {
  const std::string full = body + "." + name;
  add(names, full, id);
  if (const auto several = names.ambiguous.find(name); several != names.ambiguous.end()) {
    several->second.push_back(full);
  } else if (const auto other = names.bare.find(name); other != names.bare.end()) {
    names.ambiguous[name] = {other->second, full};
    names.known.erase(name);
  } else if (!names.known.contains(name)) {
    add(names, name, id);
    names.bare[name] = full;
  }
}

template <class Id>
Id ModelNames::get(const Names<Id>& names, std::string_view name, std::string_view what) {
  if (const auto at = names.known.find(name); at != names.known.end()) return at->second;
  if (const auto several = names.ambiguous.find(name); several != names.ambiguous.end())
    throw ModelError(
        fmt::format("there are several {}s '{}': say which one, {}", what, name, fmt::join(several->second, " or ")));
  throw ModelError(fmt::format("there is no {} '{}'{}", what, InfixText::printable(name),
                               suggestion(name, ModelNames::names(names))));
}

template <class Id>
std::vector<std::string> ModelNames::names(const Names<Id>& all) {
  std::vector<std::string> r;
  for (const auto& [name, id] : all.known) r.push_back(name);
  return r;
}

template void ModelNames::add(Names<FrameId>&, const std::string&, FrameId);
template void ModelNames::add(Names<PointId>&, const std::string&, PointId);
template std::vector<std::string> ModelNames::names(const Names<FrameId>&);
template std::vector<std::string> ModelNames::names(const Names<PointId>&);

void ModelNames::add_frame_of(const std::string& body, const std::string& name, FrameId id) {
  add_of(frames_, body, name, id);
}
void ModelNames::add_point_of(const std::string& body, const std::string& name, PointId id) {
  add_of(points_, body, name, id);
}

FrameId ModelNames::frame(std::string_view name) const { return get(frames_, name, "body or frame"); }
PointId ModelNames::point(std::string_view name) const { return get(points_, name, "point"); }

PointId ModelNames::load_point(std::string_view name) const {
  const auto at = load_points_.find(name);
  return at == load_points_.end() ? point(name) : at->second;
}

BodyId ModelNames::body(std::string_view name) const {
  if (const auto at = bodies_.find(name); at != bodies_.end()) return at->second;
  std::vector<std::string> known;
  for (const auto& [key, id] : bodies_) known.push_back(key);
  throw ModelError(fmt::format("there is no body '{}'{}", InfixText::printable(name), suggestion(name, known)));
}

}  // namespace kane
