#include "deploy/config/file_text.hpp"

#include <cstdio>
#include <memory>

namespace troupe::deploy {

namespace {

struct file_closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

} // namespace

std::optional<std::string> file_text(const std::string& path, std::size_t longest) {
  const std::unique_ptr<std::FILE, file_closer> file{std::fopen(path.c_str(), "rbe")};
  if (!file)
    return std::nullopt;
  std::string text(longest + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return std::ferror(file.get()) == 0 ? std::optional(std::move(text)) : std::nullopt;
}

bool is_readable(const std::string& path) { return file_text(path, 0).has_value(); }

} // namespace troupe::deploy
