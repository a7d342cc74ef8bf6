#include "kane/simulate/system/report_list.hpp"

namespace kane {

ReportList list_reports(const EquationsOfMotion& e, bool brief) {
  ReportList list;
  const auto add = [&](const Expr& value) { list.values.push_back(value); };
  const auto add_vector = [&](const Expr3& v) { list.values.insert(list.values.end(), v.begin(), v.end()); };
  const auto item = [&](ReportItem::Kind kind, const std::string& name, auto&& add_all) {
    const std::size_t first = list.values.size();
    add_all();
    list.items.push_back({kind, name, first, list.values.size() - first});
  };
  using Kind = ReportItem::Kind;
  item(Kind::Kinetic, "kinetic", [&] { add(e.kinetic); });
  if (e.potential) item(Kind::Potential, "potential", [&] { add(*e.potential); });
  if (!brief) item(Kind::Momentum, "momentum", [&] { add_vector(e.linear_momentum), add_vector(e.angular_momentum); });
  for (const auto& p : e.points)
    item(Kind::Point, p.name, [&] {
      add_vector(p.position);
      if (!brief) add_vector(p.velocity), add_vector(p.acceleration);
    });
  for (const auto& b : e.bodies) {
    if (brief) break;
    item(Kind::Body, b.name, [&] {
      for (const Expr3& row : b.rotation) add_vector(row);
      add_vector(b.angular_velocity), add_vector(b.angular_acceleration);
    });
  }
  for (const auto& r : e.reactions) item(Kind::Reaction, r.name, [&] { add_vector(r.force), add_vector(r.torque); });
  for (const auto& f : e.auxiliary_forces) item(Kind::Auxiliary, f.name, [&] { add(f.value); });
  for (const auto& o : e.outputs) item(Kind::Output, o.name, [&] { add(o.value); });
  return list;
}

}  // namespace kane
