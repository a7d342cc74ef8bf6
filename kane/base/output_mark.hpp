#pragma once
// Recognises files that Kane has written. A table begins with a line of names and has no room for a remark, so the mark is
// an extended attribute of the file, `user.kane`, with the size and the time of the last change: a file that has been
// edited since is no longer Kane's. Where there are no such attributes (some network folders, archives, copies), a file is
// known by its content: the words below in pages, HDF5 and MATLAB files, and in tables numbers that all have the exact form in
// which Kane prints them.

#include <string>
#include <string_view>

namespace kane {

/// Stands in all files that have room for it, in their first bytes.
inline constexpr std::string_view kOutputWords = "written by Kane";

/// Marks an open file, after its last byte. Does nothing where the system has no such marks.
void mark_output(int descriptor);
/// The same by name, for files that other programs wrote for Kane.
void mark_output(const std::string& file);

/// True if nothing of anybody else is lost when the file is replaced: it does not exist, is empty, no regular file, or Kane's.
[[nodiscard]] bool may_replace(const std::string& file);

/// A name for files made from that of a model, which may be anything: without folders, control characters and what file
/// systems do not like; not hidden, not empty, at most 100 bytes.
[[nodiscard]] std::string file_stem(std::string_view name);

}  // namespace kane
