#include "deploy/config/file_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::deploy {

namespace {

struct file_closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Grows with what is there: most files are far from their limit.
std::optional<std::string> read_to_end(std::FILE* opened, std::size_t longest) {
  constexpr std::size_t first_size = 16 * 1024;
  if (!opened)
    return std::nullopt;
  const std::unique_ptr<std::FILE, file_closer> file{opened};
  std::string text;
  std::size_t read = 0;
  while (read == text.size() && read <= longest) {
    text.resize(std::min(std::max(2 * read, first_size), longest + 1));
    read += std::fread(text.data() + read, 1, text.size() - read, file.get());
  }
  text.resize(read);
  return std::ferror(file.get()) == 0 ? std::optional(std::move(text)) : std::nullopt;
}

/// A pipe without a writer is opened, too, by this flag; files of a disk do not heed it.
std::FILE* opened_regular(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (file < 0)
    return nullptr;
  struct stat is {};
  if (::fstat(file, &is) == 0 && S_ISREG(is.st_mode))
    return ::fdopen(file, "rb");
  ::close(file);
  errno = S_ISDIR(is.st_mode) ? EISDIR : ENOTSUP;
  return nullptr;
}

} // namespace

std::optional<std::string> file_text(const std::string& path, std::size_t longest) {
  return read_to_end(std::fopen(path.c_str(), "rbe"), longest);
}

std::optional<std::string> regular_file_text(const std::string& path, std::size_t longest) {
  return read_to_end(opened_regular(path), longest);
}

bool is_readable(const std::string& path) { return file_text(path, 0).has_value(); }

} // namespace troupe::deploy
