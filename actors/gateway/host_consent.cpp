#include "actors/gateway/host_consent.hpp"

#include "actors/runtime/thrown.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/words.hpp"

#include <string>

namespace troupe::actors {

std::function<void(session_request what, std::uint64_t question, const registry_actor& by)> host_consent::asker() {
  if (!judge_)
    return {};
  return [this](session_request what, std::uint64_t question, const registry_actor& by) {
    auto tell = [registry = caf::actor_addr{by.address()}, question](std::optional<protocol::rejection> why_not) {
      if (auto there = caf::actor_cast<registry_actor>(registry))
        caf::anon_send(there, session_judged{question, std::move(why_not)});
    };
    if (threads_.post([this, what = std::move(what), tell] { tell(refuse(what)); }) == 0)
      tell(protocol::unavailable("too many others wait to begin a session"));
  };
}

/// Who cannot be judged does not begin.
std::optional<protocol::rejection> host_consent::refuse(const session_request& what) const {
  try {
    auto why = judge_(what);
    return why.empty() ? std::nullopt : std::optional{protocol::refusal(403, protocol::one_line(why))};
  } catch (...) {
    log_(log_level::error, "whether a session may begin could not be found out",
         {{"why", text_of(std::current_exception())}});
    return protocol::unavailable("whether the session may begin could not be found out");
  }
}

} // namespace troupe::actors
