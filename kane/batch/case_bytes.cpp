#include "kane/batch/case_bytes.hpp"

#include <cstring>

namespace kane {

namespace {

template <class T>
void put(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_numbers(std::string& to, const std::vector<double>& numbers) {
  put(to, numbers.size());
  to.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
}

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}
  [[nodiscard]] bool empty() const { return left_.empty(); }
  void read(void* to, std::size_t size) {
    ensure(size <= left_.size(), "a message about cases is too short");
    if (size > 0) std::memcpy(to, left_.data(), size);
    left_.remove_prefix(size);
  }
  template <class T>
  T get() {
    T value;
    read(&value, sizeof value);
    return value;
  }
  std::size_t get_size(std::size_t unit) {
    const auto n = get<std::size_t>();
    ensure(n <= left_.size() / unit, "a message about cases is too short");
    return n;
  }

 private:
  std::string_view left_;
};

}  // namespace

std::string pack_results(std::span<const CaseResult> results) {
  std::string bytes;
  for (const CaseResult& r : results) {
    put(bytes, r.k), put(bytes, static_cast<char>(r.ok ? 1 : 0)), put(bytes, r.seconds);
    put_numbers(bytes, r.values), put_numbers(bytes, r.measures), put_numbers(bytes, r.series);
    put(bytes, r.reason.size());
    bytes += r.reason;
  }
  return bytes;
}

std::vector<CaseResult> unpack_results(std::string_view bytes) {
  std::vector<CaseResult> results;
  ByteReader reader(bytes);
  while (!reader.empty()) {
    CaseResult r;
    r.k = reader.get<std::uint64_t>(), r.ok = reader.get<char>() != 0, r.seconds = reader.get<double>();
    for (auto* numbers : {&r.values, &r.measures, &r.series}) {
      numbers->resize(reader.get_size(sizeof(double)));
      reader.read(numbers->data(), numbers->size() * sizeof(double));
    }
    r.reason.resize(reader.get_size(1));
    reader.read(r.reason.data(), r.reason.size());
    results.push_back(std::move(r));
  }
  return results;
}

}  // namespace kane
