#include "deploy/config/file_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <iterator>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::deploy {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Scans a text once. A comma is trailing if a bracket is the next character besides blanks and comments.
class blanker {
public:
  explicit blanker(std::string& text) : text_(text) {}

  void run() {
    if (text_.starts_with(byte_order_mark))
      blank_until(byte_order_mark.size());
    while (at_ < text_.size())
      step();
  }

private:
  void step() {
    const auto rest = std::string_view(text_).substr(at_);
    if (rest.starts_with("//"))
      blank_until(std::min(text_.find('\n', at_), text_.size()));
    else if (!rest.starts_with("/*") || !blank_block())
      keep_char();
  }

  /// Blanks a block comment. An unclosed one stays for the parser to refuse; nothing after it is a comment.
  bool blank_block() {
    const auto end = at_ < open_ ? text_.find("*/", at_ + 2) : std::string::npos;
    if (end == std::string::npos)
      open_ = std::min(open_, at_);
    else
      blank_until(end + 2);
    return end != std::string::npos;
  }

  void blank_until(std::size_t end) {
    for (; at_ < end; ++at_)
      if (text_[at_] != '\n')
        text_[at_] = ' ';
  }

  void keep_char() {
    const char c = text_[at_];
    if (c == '"')
      skip_string();
    if ((c == '}' || c == ']') && last_ == ',' && follows_value_)
      text_[comma_] = ' ';
    if (std::string_view(" \t\r\n").find(c) == std::string_view::npos)
      remember(c);
    ++at_;
  }

  void skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\')
        ++at_;
  }

  /// Records a comma. The comma of `[,]` follows no value and stays for the parser to refuse.
  void remember(char c) {
    if (c == ',') {
      follows_value_ = std::string_view("[{,:").find(last_) == std::string_view::npos;
      comma_ = at_;
    }
    last_ = c;
  }

  std::string& text_;
  std::size_t at_ = 0;
  std::size_t comma_ = 0;
  std::size_t open_ = std::string::npos; // begin of the first unclosed comment
  bool follows_value_ = false;
  char last_ = '[';
};

bool is_key(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return c == '_' || c == '-' || c == '.' || c == '"' || (c >= '0' && c <= '9') ||
           ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
  });
}

/// Replaces each closed string in a line with an empty one.
std::string without_strings(std::string_view line) {
  std::string result;
  while (!line.empty()) {
    const auto quote = std::min(line.find_first_of("\"'"), line.size());
    const auto end = quote < line.size() ? line.find(line[quote], quote + 1) : line.npos;
    if (end == line.npos)
      return result.append(line);
    result.append(line.substr(0, quote)).append("\"\"");
    line.remove_prefix(end + 1);
  }
  return result;
}

std::string_view cut_blanks(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

/// True for `[a."b c"]` or `[[a]]`, which begin with a bare key, and for `a.b = `; ignores quoted text.
bool is_toml(std::string_view line) {
  const auto plain = without_strings(line);
  const auto text = std::string_view(plain);
  if (!text.starts_with('['))
    return text.find('=') != text.npos && is_key(cut_blanks(text.substr(0, text.find('='))));
  const auto begin = std::min(text.find_first_not_of('['), text.size());
  const auto inside = text.substr(begin, std::min(text.find(']', begin), text.size()) - begin);
  return begin <= 2 && text.find(']') != text.npos && !inside.starts_with('"') && is_key(cut_blanks(inside));
}

struct file_closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Grows the buffer as it reads: most files are far below their limit.
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

/// Opens a regular file. The flag opens even a pipe without a writer; it has no effect on regular files.
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

text_format format_of(std::string_view text) {
  while (!text.empty()) {
    const auto line = cut_blanks(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    if (is_toml(line))
      return text_format::toml;
    if (const auto colon = line.find(':');
        colon != std::string_view::npos && is_key(line.substr(0, colon)) && !line.starts_with('"'))
      return text_format::yaml;
    if (!line.empty() && !line.starts_with('#') && !line.starts_with("---"))
      break;
  }
  return text_format::json;
}

void blank_comments(std::string& text) { blanker{text}.run(); }

line_index::line_index(std::string_view text) : begins_{0} {
  for (auto at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    begins_.push_back(at + 1);
}

std::size_t line_index::line_of(std::size_t byte) const {
  return static_cast<std::size_t>(std::distance(begins_.begin(), std::ranges::upper_bound(begins_, byte)));
}

std::optional<std::string> file_text(const std::string& path, std::size_t longest) {
  return read_to_end(std::fopen(path.c_str(), "rbe"), longest);
}

std::optional<std::string> regular_file_text(const std::string& path, std::size_t longest) {
  return read_to_end(opened_regular(path), longest);
}

bool is_readable(const std::string& path) { return file_text(path, 0).has_value(); }

} // namespace troupe::deploy
