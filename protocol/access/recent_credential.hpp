#pragma once

#include "protocol/access/principal.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// A key or token that came lately, and who has it: what comes with each request of a client is compared with it, which
/// costs less than to digest it.
class recent_credential {
public:
  /// Longer ones are not kept.
  static constexpr std::size_t longest = 4096;

  /// Null when it is another one, when it is not good any more, or when it was found by other keys than those of that
  /// version. One that is not good any more is forgotten.
  caller find(std::string_view secret, std::uint64_t version, time_point now, calendar_time date);
  /// It is good until then.
  void put(std::string_view secret, caller who, std::uint64_t version, time_point until);
  void forget();

private:
  bool is_good(std::uint64_t version, time_point now, calendar_time date) const;

  std::string secret_;
  caller who_;
  std::uint64_t version_ = 0;
  time_point until_;
};

} // namespace troupe::protocol
