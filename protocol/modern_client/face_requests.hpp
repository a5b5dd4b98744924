#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_client/stateless_effects.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Requests that the face makes of the server itself. Their ids are strings, which those of clients' calls never are.
class face_requests {
public:
  /// What the answer means.
  enum class purpose { initialize, tools_page, log_level, task_status, task_result, task_end };
  struct asked {
    purpose is;
    /// The call that it is about; 0 when about none.
    exchange_id call = 0;
  };

  /// Which request of the caller leads to what is asked from now on.
  void ask_for(const message& request);
  /// `params` is a JSON object.
  void ask(asked what, std::string_view method, std::string_view params, stateless_effects& out);
  /// What an answer is to; nothing when it answers none of these.
  std::optional<asked> take(const message& answer);
  /// No answer will come any more.
  void clear() { under_way_.clear(); }

private:
  std::uint64_t last_ = 0;
  std::map<std::string, asked, std::less<>> under_way_;
  std::shared_ptr<const principal> asker_;
  std::shared_ptr<const request_trace> trace_;
};

} // namespace troupe::protocol
