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

/// What a Redis answers to a command.
struct redis_reply {
  /// `error`: it refused the command. `lost`: it has not answered, whether it carried out the command or not. Both say
  /// why in `text`.
  enum class kind { nil, integer, text, array, error, lost };
  kind is = kind::nil;
  std::int64_t number = 0;
  std::string text = {};
  std::vector<redis_reply> parts = {};

  bool failed() const { return is == kind::error || is == kind::lost; }
  friend bool operator==(const redis_reply&, const redis_reply&) = default;
};

/// A command and its arguments, which may have any bytes.
using redis_command = std::vector<std::string>;

/// A command as it goes on the wire.
std::string wire_text(const redis_command& command);

/// Makes replies of bytes. What the bytes mean is hiredis' business.
class redis_reader {
public:
  /// A reply that is longer than that, in bytes, is no good one, nor is one that says so of itself.
  explicit redis_reader(std::size_t longest);
  ~redis_reader();
  redis_reader(const redis_reader&) = delete;
  redis_reader& operator=(const redis_reader&) = delete;

  void feed(std::string_view bytes);
  /// The next reply that is complete. None, and a reason, when what came is no reply.
  std::optional<redis_reply> next();
  /// In one line; empty as long as all is well.
  const std::string& why_not() const { return why_not_; }

private:
  struct bounds;

  /// Where hiredis makes arrays.
  std::unique_ptr<bounds> bounds_;
  std::unique_ptr<redisReader, void (*)(redisReader*)> reader_;
  std::size_t longest_;
  /// Bytes since the last complete reply.
  std::size_t size_ = 0;
  std::string why_not_;
};

} // namespace troupe::net
