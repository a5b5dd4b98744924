#pragma once

#include "protocol/message.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe::protocol {

/// What a client awaits of a POST that another node answers, and what it is told instead when that node is lost.
class lost_exchange {
public:
  lost_exchange() = default;
  explicit lost_exchange(const post_body& body);

  /// The JSON answer: an error for each request. Nothing when no request awaits an answer.
  std::optional<std::string> json() const;
  /// The last event of a stream that has begun. Nothing for a batch, of which some answers may have been given: its
  /// client comes back for the rest, and hears that the session is gone.
  std::optional<std::string> last_event() const;

private:
  std::vector<std::string> requests_;
  bool batch_ = false;
};

} // namespace troupe::protocol
