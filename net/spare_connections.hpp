#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

namespace troupe::net {

/// The connections of one thread that nothing needs for now: those that are kept for a next call, and answers that are
/// complete while their stream stays open. They have a limit for all threads of the process together, beyond which the
/// oldest of a thread is closed for a new one. They are closed when something on the same thread finds no descriptor.
///
/// Lives and is used on its thread only.
class spare_connections {
public:
  using number = std::uint64_t;

  /// One eighth of the descriptors that this process may have, and 4,096 at most.
  spare_connections();
  explicit spare_connections(std::size_t limit) : limit_{limit} {}
  ~spare_connections();
  spare_connections(const spare_connections&) = delete;
  spare_connections& operator=(const spare_connections&) = delete;

  /// `close` closes the descriptor at once, and tells nobody before it returns. Never called from inside.
  number add(std::function<void()> close);
  /// It is needed again, or over. Does nothing for one that was closed.
  void remove(number which);
  /// False when there is none.
  bool close_oldest();
  /// Does nothing for one that was closed or removed.
  void close(number which);

private:
  using closers = std::map<number, std::function<void()>>;

  void close(closers::iterator which);

  /// Of all threads.
  static inline std::atomic<std::size_t> count_{0};

  std::size_t limit_;
  /// The oldest first.
  closers closers_;
  number last_ = 0;
};

} // namespace troupe::net
