#include "protocol/text/line_reader.hpp"

#include <algorithm>
#include <cassert>

namespace troupe::protocol {

/// The tail grows to twice its final size before it is cut, so that few pieces move it.
void skipped_line::add(std::string_view piece) {
  size += piece.size();
  head += piece.substr(0, kept - head.size());
  tail += piece.substr(piece.size() - std::min(kept, piece.size()));
  if (tail.size() > 2 * kept)
    end();
}

void skipped_line::end() {
  if (tail.size() > kept)
    tail.erase(0, tail.size() - kept);
}

line_reader::line_reader(std::size_t limit, overflow when_too_long) : limit_(limit), when_too_long_(when_too_long) {
  assert(limit > 0);
}

std::vector<std::string> line_reader::feed(std::string_view bytes) {
  std::vector<std::string> lines;
  while (!bytes.empty() && !overflowed_) {
    auto end = bytes.find('\n'); // a memchr
    auto ended = end != bytes.npos;
    if (auto line = feed_piece(bytes.substr(0, end), ended))
      lines.push_back(std::move(*line));
    bytes.remove_prefix(ended ? end + 1 : bytes.size());
  }
  return lines;
}

std::optional<std::string> line_reader::finish() {
  auto line = std::exchange(rest_, {});
  skipping_ = false;
  skips_ = {};
  if (line.ends_with('\r'))
    line.pop_back();
  if (when_too_long_ != overflow::truncate || line.empty())
    return std::nullopt;
  return line;
}

std::optional<std::string> line_reader::feed_piece(std::string_view piece, bool ended) {
  if (skipping_) {
    if (when_too_long_ == overflow::skip)
      skip(piece, ended);
    skipping_ = !ended;
    return std::nullopt;
  }
  auto length = length_with(piece);
  if (length > limit_)
    return exceed(piece, ended);
  if (ended && rest_.empty())
    return length > 0 ? std::optional<std::string>{piece.substr(0, length)} : std::nullopt;
  rest_ += piece;
  if (!ended)
    return std::nullopt;
  auto line = std::exchange(rest_, {});
  line.resize(length);
  return line.empty() ? std::nullopt : std::optional{std::move(line)};
}

std::optional<std::string> line_reader::exceed(std::string_view piece, bool ended) {
  auto line = std::exchange(rest_, {});
  if (when_too_long_ == overflow::fail) {
    overflowed_ = true;
    return std::nullopt;
  }
  skipping_ = !ended;
  if (when_too_long_ == overflow::skip) {
    skip(line, false);
    skip(piece, ended);
    return std::nullopt;
  }
  line += piece.substr(0, limit_ - std::min(limit_, line.size()));
  line.resize(limit_); // drops a CR that could have been half of the terminator
  return line;
}

void line_reader::skip(std::string_view piece, bool ended) {
  skips_.add(piece);
  if (!ended)
    return;
  skips_.end();
  skipped_.push_back(std::exchange(skips_, {}));
}

/// Returns the length of the line so far. A CR at its end may belong to the terminator and does not count.
std::size_t line_reader::length_with(std::string_view piece) const {
  auto last = piece.empty() ? std::string_view{rest_} : piece;
  return rest_.size() + piece.size() - (last.ends_with('\r') ? 1 : 0);
}

} // namespace troupe::protocol
