#include "tests/bench/load_reply.hpp"

#include <algorithm>
#include <charconv>

#include <strings.h>

namespace troupe::bench {

namespace {

std::size_t number(std::string_view text, int base) {
  std::size_t result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result, base);
  return result;
}

} // namespace

char* reply::room(std::size_t least) {
  if (room_size() < least)
    bytes_.resize(std::max(2 * bytes_.size(), size_ + least));
  return bytes_.data() + size_;
}

bool reply::wrote(std::size_t size) {
  whole_ = parse(size);
  return whole_;
}

bool reply::parse(std::size_t size) {
  size_ += size;
  if (head_ == 0 && !parse_head())
    return false;
  return chunked_ ? parse_chunks() : size_ - head_ >= length_;
}

bool reply::parse_head() {
  const auto end = std::string_view(bytes_.data(), size_).find("\r\n\r\n");
  if (end == std::string_view::npos)
    return false;
  head_ = end + 4;
  status_ = static_cast<int>(number(std::string_view(bytes_).substr(9, 3), 10));
  length_ = number(header("content-length"), 10);
  chunked_ = header("transfer-encoding") == "chunked";
  unframed_ = head_;
  return true;
}

std::string_view reply::header(std::string_view name) const {
  const auto head = std::string_view(bytes_.data(), head_);
  for (auto at = head.find("\r\n"); at + 2 < head.size(); at = head.find("\r\n", at + 2)) {
    const auto line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    if (line.size() <= name.size() || line[name.size()] != ':' ||
        ::strncasecmp(line.data(), name.data(), name.size()) != 0)
      continue;
    return line.substr(std::min(line.find_first_not_of(" \t", name.size() + 1), line.size()));
  }
  return {};
}

/// The line end after each chunk counts as part of it.
bool reply::parse_chunks() {
  const auto received = std::string_view(bytes_.data(), size_);
  for (;;) {
    const auto taken = std::min(chunk_rest_, size_ - unframed_);
    const auto data = std::min(taken, chunk_rest_ > 2 ? chunk_rest_ - 2 : 0);
    chunks_.append(received.substr(unframed_, data));
    unframed_ += taken;
    chunk_rest_ -= taken;
    const auto end = received.find("\r\n", unframed_);
    if (chunk_rest_ > 0 || end == std::string_view::npos)
      return false;
    const auto length = number(received.substr(unframed_, end - unframed_), 16);
    if (length == 0) // the last chunk; these answers have no trailers
      return size_ - end >= 4;
    chunk_rest_ = length + 2;
    unframed_ = end + 2;
  }
}

std::string_view reply::body() const {
  return chunked_ ? std::string_view(chunks_) : std::string_view(bytes_).substr(head_, length_);
}

void reply::drop_body() {
  chunks_.clear();
  if (unframed_ == size_)
    unframed_ = size_ = head_;
}

void reply::clear() {
  size_ = head_ = length_ = unframed_ = chunk_rest_ = 0;
  status_ = 0;
  chunked_ = whole_ = false;
  chunks_.clear();
}

} // namespace troupe::bench
