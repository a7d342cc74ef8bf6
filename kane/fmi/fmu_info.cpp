#include <tinyxml2.h>

#include <algorithm>
#include <cstdlib>

#include "kane/base/error.hpp"
#include "kane/fmi/archive.hpp"
#include "kane/fmi/fmu_slave.hpp"

namespace kane {

namespace {

using tinyxml2::XMLElement;

std::string attribute(const XMLElement& e, const char* name) {
  const char* const value = e.Attribute(name);
  return value == nullptr ? "" : value;
}

FmuType type_from(std::string_view name) {
  if (name == "Real" || name == "Float64") return FmuType::Real;
  if (name == "Integer" || name == "Int32") return FmuType::Integer;
  return name == "Boolean" ? FmuType::Boolean : FmuType::Other;
}

FmuPort read_port(const XMLElement& e, int version) {
  const XMLElement* const typed = version == 2 ? e.FirstChildElement() : &e;
  FmuPort port{attribute(e, "name"), 0, FmuType::Other};
  port.reference = static_cast<unsigned>(std::strtoul(attribute(e, "valueReference").c_str(), nullptr, 10));
  port.causality = attribute(e, "causality"), port.variability = attribute(e, "variability");
  if (typed == nullptr) return port;
  port.type = e.FirstChildElement("Dimension") != nullptr ? FmuType::Other : type_from(typed->Name());
  port.unit = attribute(*typed, "unit"), port.start = attribute(*typed, "start");
  return port;
}

}  // namespace

FmuInfo read_fmu_info(const std::string& file) {
  const std::vector<ArchiveFile> entries = read_archive(file);
  const auto found =
      std::find_if(entries.begin(), entries.end(), [](auto& e) { return e.name == "modelDescription.xml"; });
  require(found != entries.end(), "'{}' is not an FMU: it has no modelDescription.xml", file);
  tinyxml2::XMLDocument document;
  const bool parsed = document.Parse(found->content.data(), found->content.size()) == tinyxml2::XML_SUCCESS;
  const XMLElement* const root = parsed ? document.FirstChildElement("fmiModelDescription") : nullptr;
  require(root != nullptr, "'{}': modelDescription.xml cannot be read", file);
  FmuInfo info;
  const std::string version = attribute(*root, "fmiVersion");
  require(version.starts_with("2.") || version.starts_with("3."), "'{}' is written for FMI {}; Kane uses 2.0 and 3.0",
          file, version.empty() ? "without a version" : version);
  info.version = version[0] - '0';
  info.name = attribute(*root, "modelName");
  info.token = attribute(*root, info.version == 2 ? "guid" : "instantiationToken");
  for (const char* kind : {"ModelExchange", "CoSimulation"}) {
    const XMLElement* const e = root->FirstChildElement(kind);
    if (e == nullptr) continue;
    info.identifier = attribute(*e, "modelIdentifier");  // that of co-simulation, if there is one
    (std::string_view(kind) == "CoSimulation" ? info.co_simulation : info.model_exchange) = true;
  }
  const bool plain =
      !info.identifier.empty() && std::all_of(info.identifier.begin(), info.identifier.end(), [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      });
  require(plain, "'{}': the model identifier '{}' is not a valid identifier", file, info.identifier);
  const XMLElement* const variables = root->FirstChildElement("ModelVariables");
  for (const XMLElement* e = variables == nullptr ? nullptr : variables->FirstChildElement(); e != nullptr;
       e = e->NextSiblingElement())
    info.variables.push_back(read_port(*e, info.version));
  return info;
}

}  // namespace kane
