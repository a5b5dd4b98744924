#pragma once

#include "actors/troupe/gateway.hpp"
#include "net/guarded.hpp"
#include "net/watched_file.hpp"
#include "protocol/ids.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::actors {

/// Keys of the cluster on this node, the preferred key first, and the keys derived from them for each purpose. A
/// derived key that clients or nodes see does not reveal the cluster's key.
///
/// Callable from any thread, but `look` from one thread at a time.
class cluster_keys {
public:
  /// Throws `std::runtime_error` with one line if the keys of the options, or of their file, cannot be used. Deriving
  /// the keys takes tens of milliseconds per key.
  explicit cluster_keys(const cluster_options& options);

  /// Keys for authentication between nodes.
  std::vector<std::string> for_links() const;
  /// Keys that seal the cursors of clients.
  std::vector<std::string> for_cursors() const;
  /// Returns seals of a text that only nodes can make. The last ones use keys removed since this node started: sessions
  /// outlive a key rotation, and an old id gives access to its own session only.
  std::vector<protocol::random_bytes> session_seals(std::string_view text) const;

  /// Reads the key file again if it has changed; blocks. Empty if the keys are unchanged. An empty text: there are new
  /// keys. Otherwise the reason why the file was rejected; the keys stay as they were.
  std::optional<std::string> look();

private:
  struct made_of_key {
    std::string key, links, cursors, sessions;
  };
  using list = std::vector<made_of_key>;
  struct state {
    list known;
    /// Removed keys, newest first, limited to `most_cluster_keys`.
    list removed;
  };

  std::shared_ptr<const state> now() const {
    return state_.with([](auto& all) { return all; });
  }
  bool change(const std::vector<std::string>& keys);
  static made_of_key make(const std::string& key);

  /// Key file; none if it cannot be read again, such as a pipe.
  std::optional<net::watched_file> file_;
  mutable net::guarded<std::shared_ptr<const state>> state_{std::make_shared<const state>()};
};

} // namespace troupe::actors
