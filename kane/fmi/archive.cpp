#include "kane/fmi/archive.hpp"

#include <zip.h>

#include <filesystem>
#include <memory>

#include "kane/base/child_process.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"

namespace kane {

namespace {

struct ZipDiscard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using ZipHandle = std::unique_ptr<zip_t, ZipDiscard>;

ZipHandle open_zip(const std::string& file, int flags) {
  int code = 0;
  ZipHandle archive(zip_open(file.c_str(), flags, &code));
  if (archive != nullptr) return archive;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  const std::string why = zip_error_strerror(&error);
  zip_error_fini(&error);
  throw ModelError(fmt::format("'{}' cannot be read as a ZIP archive: {}", file, why));
}

/// Links stand as small files with the mark of a link in the attributes.
bool is_link(zip_t* archive, zip_uint64_t entry) {
  zip_uint8_t system = 0;
  zip_uint32_t attributes = 0;
  if (zip_file_get_external_attributes(archive, entry, 0, &system, &attributes) != 0) return false;
  return system == ZIP_OPSYS_UNIX && ((attributes >> 16U) & 0170000U) == 0120000U;
}

std::string read_entry(zip_t* archive, zip_uint64_t entry, zip_uint64_t size, const std::string& file,
                       const char* name) {
  std::string content(size, '\0');
  zip_file_t* const in = zip_fopen_index(archive, entry, 0);
  require(in != nullptr, "'{}': the entry '{}' cannot be read: {}", file, name, zip_strerror(archive));
  const zip_int64_t got = zip_fread(in, content.data(), size);
  const bool whole = zip_fclose(in) == 0 && got >= 0 && static_cast<zip_uint64_t>(got) == size;
  require(whole, "'{}': the entry '{}' is damaged", file, name);
  return content;
}

}  // namespace

bool stays_inside(const std::string& name) {
  if (name.empty() || name.front() == '/' || name.find('\\') != std::string::npos ||
      name.find('\0') != std::string::npos)
    return false;
  for (const auto& part : std::filesystem::path(name))
    if (part == "..") return false;
  return true;
}

void write_archive(const std::string& file, const std::vector<ArchiveFile>& entries) {
  const TemporaryFolder folder("kane_archive");
  const std::string place = folder.path() + "/archive.zip";
  ZipHandle archive = open_zip(place, ZIP_CREATE | ZIP_EXCL);
  constexpr zip_uint16_t kFirstDay = 0x21;  // 1 January 1980, the first that the format knows
  for (const ArchiveFile& entry : entries) {
    zip_source_t* const source = zip_source_buffer(archive.get(), entry.content.data(), entry.content.size(), 0);
    const zip_int64_t index =
        source == nullptr ? -1 : zip_file_add(archive.get(), entry.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) zip_source_free(source);
    require(index >= 0, "'{}' cannot be written: {}", file, zip_strerror(archive.get()));
    zip_set_file_compression(archive.get(), static_cast<zip_uint64_t>(index), ZIP_CM_DEFLATE, 9);
    zip_file_set_dostime(archive.get(), static_cast<zip_uint64_t>(index), 0, kFirstDay, 0);
  }
  const bool closed = zip_close(archive.get()) == 0;
  const std::string why = closed ? "" : zip_strerror(archive.get());
  if (closed) (void)archive.release();
  if (!closed) throw OutputError(fmt::format("'{}' cannot be written: {}", file, why));
  write_file(file, read_whole_file(place));
}

std::vector<ArchiveFile> read_archive(const std::string& file, const ArchiveLimits& limits) {
  const ZipHandle archive = open_zip(file, ZIP_RDONLY);
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  require(count >= 0 && static_cast<std::size_t>(count) <= limits.entries,
          "'{}' has {} entries, more than the {} that are read", file, count, limits.entries);
  std::vector<ArchiveFile> entries;
  std::size_t bytes = 0;
  for (zip_uint64_t i = 0; i < static_cast<zip_uint64_t>(count); ++i) {
    zip_stat_t stat;
    zip_stat_init(&stat);
    require(zip_stat_index(archive.get(), i, 0, &stat) == 0 && (stat.valid & ZIP_STAT_NAME) != 0 &&
                (stat.valid & ZIP_STAT_SIZE) != 0,
            "'{}': entry {} is damaged", file, i);
    const std::string name = stat.name;
    require(stays_inside(name), "'{}': the entry '{}' leads out of the archive; it is not unpacked", file, name);
    require(!is_link(archive.get(), i), "'{}': the entry '{}' is a link; it is not unpacked", file, name);
    if (name.back() == '/') continue;
    require(stat.size <= limits.bytes - bytes, "'{}' unpacks to more than {} bytes", file, limits.bytes);
    bytes += stat.size;
    entries.push_back({name, read_entry(archive.get(), i, stat.size, file, stat.name)});
  }
  return entries;
}

}  // namespace kane
