#pragma once

#include "protocol/delivery/waiting_client.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// The id by which a refusal names what was sent; empty when it has none.
std::string first_id(const waiting_client& one);

/// The requests of clients that wait until their session is restored, or gone to another node, in the order in which
/// they came; bounded in number and bytes.
class waiting_clients {
public:
  waiting_clients(std::size_t most, std::size_t most_bytes) : most_{most}, most_bytes_{most_bytes} {}

  /// Adds a request; false when it does not fit. The first always does.
  bool push(waiting_client one);
  /// Whether a request of that id waits.
  bool has_request(std::string_view id) const;
  /// A connection is gone. Who wanted to listen waits no more; what was sent or ended stays so, as with a connection
  /// that goes later.
  void left(exchange_id exchange);
  /// Takes all of them out.
  std::vector<waiting_client> take();

private:
  std::size_t most_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::vector<waiting_client> all_;
};

} // namespace troupe::protocol
