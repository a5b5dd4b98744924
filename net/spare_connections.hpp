#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

namespace troupe::net {

/// Connections of one thread that are not needed for now: idle ones kept for a next call, and complete answers whose
/// stream stays open. One limit holds for all threads of the process; above it, a thread closes its oldest for a new
/// one. When the thread runs out of descriptors, spare connections are closed, too.
///
/// Lives and is used on its thread only.
class spare_connections {
public:
  using number = std::uint64_t;

  /// Sets the limit to one eighth of the descriptors that this process may have, at least 8 and at most 4,096.
  spare_connections();
  explicit spare_connections(std::size_t limit) : limit_{limit} {}
  ~spare_connections() { count_ -= closers_.size(); }
  spare_connections(const spare_connections&) = delete;
  spare_connections& operator=(const spare_connections&) = delete;

  /// Adds a connection. `close` must close its descriptor at once, without callbacks. Never called from inside `add`.
  number add(std::function<void()> close);
  /// Removes a connection that is needed again or over. Does nothing if it was closed.
  void remove(number which) { count_ -= closers_.erase(which); }
  /// Closes the oldest connection. False when there is none.
  bool close_oldest();
  /// Closes a connection. Does nothing if it was closed or removed.
  void close(number which);

private:
  using closers = std::map<number, std::function<void()>>;

  void close(closers::iterator which);

  /// Number of spare connections of all threads.
  static inline std::atomic<std::size_t> count_{0};

  std::size_t limit_;
  /// Functions that close the connections, the oldest first.
  closers closers_;
  number last_ = 0;
};

} // namespace troupe::net
