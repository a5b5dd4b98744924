#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::tests {

/// A received HTTP answer; status 0 when there was none.
struct answer {
  int status = 0;
  std::string head;
  std::string body;
};

/// Reads answers of a server step by step.
class answer_reader {
public:
  virtual ~answer_reader() = default;

  /// Reads up to and including `end`; less when the connection ends before.
  std::string read_until(std::string_view end) {
    while (unread_.find(end) == unread_.npos && receive()) {
    }
    auto found = unread_.find(end);
    return extract(found == unread_.npos ? unread_.size() : found + end.size());
  }

  std::string read(std::size_t size) {
    while (unread_.size() < size && receive()) {
    }
    return extract(std::min(size, unread_.size()));
  }

  std::string read_to_end() {
    while (receive()) {
    }
    return extract(unread_.size());
  }

  /// The data of one chunk; empty for the last one.
  std::string read_chunk() {
    auto size = read_until("\r\n");
    auto data = read(size.empty() ? 0 : std::stoul(size, nullptr, 16));
    read(2);
    return data;
  }

  answer read_answer(bool has_body = true) {
    answer result;
    result.head = read_until("\r\n\r\n");
    if (result.head.starts_with("HTTP/1.1 "))
      result.status = std::stoi(result.head.substr(9));
    auto length = result.head.find("Content-Length: ");
    if (has_body && length != result.head.npos)
      result.body = read(std::stoul(result.head.substr(length + 16)));
    return result;
  }

  int status() { return read_answer().status; }

protected:
  /// Receives more bytes into `arrived`; false at the end.
  virtual bool receive() = 0;
  void arrived(std::string_view text) { unread_.append(text); }
  bool has_unread() const { return !unread_.empty(); }

private:
  std::string extract(std::size_t size) {
    auto result = unread_.substr(0, size);
    unread_.erase(0, size);
    return result;
  }

  std::string unread_;
};

} // namespace troupe::tests
