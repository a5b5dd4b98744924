#pragma once

#include "actors/troupe/gateway.hpp"
#include "net/changing_file.hpp"
#include "net/guarded.hpp"
#include "protocol/ids.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::actors {

/// The keys of the cluster as this node knows them, the one that it shows first, and the keys for each purpose that it
/// makes of them: what clients and other nodes see of those helps nobody to the cluster's.
///
/// Callable from any thread, `look` by one at a time.
class cluster_keys {
public:
  /// Throws `std::runtime_error` with one line when the keys of the options, or of their file, cannot be used. Making
  /// the keys for each purpose takes tens of milliseconds a key.
  explicit cluster_keys(const cluster_options& options);

  /// By which nodes know each other.
  std::vector<std::string> for_links() const;
  /// By which clients' cursors are known.
  std::vector<std::string> for_cursors() const;
  /// What only nodes can make of a text. By the keys that were removed since this node started, too, last: sessions
  /// outlive a rotation, and an id alone leads to nothing that it does not name.
  std::vector<protocol::random_bytes> session_seals(std::string_view text) const;

  /// Reads the file of the keys again if it has changed; gives why it cannot be used, and the keys stay as they were,
  /// or an empty text when there are others from now on. Nothing while they are as they were. Blocks.
  std::optional<std::string> look();

private:
  struct made_of_key {
    std::string key, links, cursors, sessions;
  };
  using list = std::vector<made_of_key>;
  struct state {
    list known;
    /// The last ones first, no more than may be known at a time.
    list removed;
  };

  std::shared_ptr<const state> now() const;
  bool change(const std::vector<std::string>& keys);
  static made_of_key make(const std::string& key);

  /// None when it cannot be read again, as a pipe.
  std::optional<net::changing_file> file_;
  mutable net::guarded<std::shared_ptr<const state>> state_{std::make_shared<const state>()};
};

} // namespace troupe::actors
