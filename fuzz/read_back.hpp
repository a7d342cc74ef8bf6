#pragma once
// What the readers of all formats promise: a model that was read, written as Kane YAML, is read again.

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "kane/base/error.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"

namespace fuzz {

/// Calls `read`, which gives a mechanism or throws a ModelError; ends the program if what it gives cannot be read back.
template <class Read>
void read_back(const Read& read) {
  std::string yaml;
  try {
    yaml = kane::write_yaml(read());
  } catch (const kane::ModelError&) {
    return;
  }
  try {
    (void)kane::read_yaml_text(yaml);
  } catch (const kane::ModelError& error) {
    fmt::print(stderr, "{}\n{}\n", yaml, error.what());
    std::abort();
  }
}

}  // namespace fuzz
