#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct redisReader;

namespace troupe::net {

struct redis_reply {
  /// `error`: Redis refused the command. `lost`: no reply arrived, whether Redis carried the command out or not. Both
  /// have the reason in `text`.
  enum class kind { nil, integer, text, array, error, lost };
  kind is = kind::nil;
  std::int64_t number = 0;
  std::string text = {};
  std::vector<redis_reply> parts = {};

  bool failed() const { return is == kind::error || is == kind::lost; }
  friend bool operator==(const redis_reply&, const redis_reply&) = default;
};

/// Command and its arguments, which may contain any bytes.
using redis_command = std::vector<std::string>;

/// Formats a command for the wire.
std::string wire_text(const redis_command& command);

/// Parses replies from bytes, by hiredis.
class redis_reader {
public:
  /// Refuses replies longer than `longest` bytes, also those that only announce such a size.
  explicit redis_reader(std::size_t longest);
  ~redis_reader();
  redis_reader(const redis_reader&) = delete;
  redis_reader& operator=(const redis_reader&) = delete;

  void feed(std::string_view bytes);
  /// Returns the next complete reply. If the input is no reply, returns none and sets `why_not`.
  std::optional<redis_reply> next();
  /// Reason that the input is no reply, in one line; empty as long as all is well.
  const std::string& why_not() const { return why_not_; }

private:
  struct bounds;

  /// Limits on the arrays that hiredis makes.
  std::unique_ptr<bounds> bounds_;
  std::unique_ptr<redisReader, void (*)(redisReader*)> reader_;
  std::size_t longest_;
  /// Bytes since the last complete reply.
  std::size_t size_ = 0;
  std::string why_not_;
};

} // namespace troupe::net
