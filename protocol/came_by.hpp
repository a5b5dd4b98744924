#pragma once

namespace troupe::protocol {

/// How a request came to this node of a cluster.
enum class came_by {
  /// Its client is connected here.
  client,
  /// Another node passes it on, and it goes no further.
  node,
  /// A node that is about to go passes it on: it goes on once more when a third node has taken the session.
  leaving_node,
  /// Its client is connected here, and by its key it belongs to this node.
  placed
};

} // namespace troupe::protocol
