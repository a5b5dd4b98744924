#pragma once

#include "net/client/http_call.hpp"
#include "net/guarded.hpp"
#include "net/io_thread.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace troupe::net {

struct http_client_shared;

/// The clients of one server: those on one thread share their connections and take turns. Callable from any thread.
class http_client_group {
public:
  explicit http_client_group(http_client_options options) : options_{std::move(options)} {}

  /// What the clients on this thread share, for one more of them; it lasts as long as any of them.
  std::shared_ptr<http_client_shared> on(io_thread& thread);

private:
  const http_client_options options_;
  guarded<std::map<const io_thread*, std::weak_ptr<http_client_shared>>> shared_;
};

/// The clients of one server by whom they speak for: only those of one share connections. Callable from any thread.
class http_client_groups {
public:
  /// So many that are gone may be remembered, and as many as there are others.
  static constexpr std::size_t most_untidy = 64;

  explicit http_client_groups(http_client_options options) : options_{std::move(options)} {}

  /// It lasts as long as whoever has it.
  std::shared_ptr<http_client_group> of(const std::string& whom);
  /// How many are remembered.
  std::size_t size();

private:
  struct groups {
    void tidy();

    std::map<std::string, std::weak_ptr<http_client_group>> all;
    std::size_t tidy_at = most_untidy;
  };

  const http_client_options options_;
  guarded<groups> groups_;
};

} // namespace troupe::net
