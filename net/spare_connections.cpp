#include "net/spare_connections.hpp"

#include "net/process_resources.hpp"

#include <algorithm>
#include <utility>

namespace troupe::net {

namespace {

constexpr std::size_t spare_share = 8;
constexpr std::size_t fewest_spare = 8, most_spare = 4096;

} // namespace

spare_connections::spare_connections()
    : spare_connections{std::clamp(descriptor_limit() / spare_share, fewest_spare, most_spare)} {}

/// A thread may always have one connection, so that other threads cannot take all places.
spare_connections::number spare_connections::add(std::function<void()> close) {
  ++count_;
  closers_.emplace(++last_, std::move(close));
  while (count_ > limit_ && closers_.size() > 1)
    close_oldest();
  return last_;
}

bool spare_connections::close_oldest() {
  if (closers_.empty())
    return false;
  close(closers_.begin());
  return true;
}

void spare_connections::close(number which) {
  if (auto found = closers_.find(which); found != closers_.end())
    close(found);
}

void spare_connections::close(closers::iterator which) {
  auto closed = closers_.extract(which);
  --count_;
  closed.mapped()();
}

} // namespace troupe::net
