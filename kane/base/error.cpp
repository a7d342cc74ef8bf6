#include "kane/base/error.hpp"

namespace kane {

std::string Where::to_string() const {
  std::string text = file;
  if (line > 0) {
    if (!text.empty()) text += ':';
    text += std::to_string(line);
    if (column > 0) text += ':' + std::to_string(column);
  }
  return text;
}

namespace {

std::string with_place(const Where& where, const std::string& message) {
  const std::string place = where.to_string();
  return place.empty() ? message : place + ": error: " + message;
}

}  // namespace

ModelError::ModelError(std::string message) : std::runtime_error(message), message_(std::move(message)) {}

ModelError::ModelError(Where where, std::string message)
    : std::runtime_error(with_place(where, message)), where_(std::move(where)), message_(std::move(message)) {}

ModelError::ModelError(Subject subject, std::string message)
    : std::runtime_error(message), subject_(std::move(subject)), message_(std::move(message)) {}

}  // namespace kane
