#include "net/write_queue.hpp"

namespace troupe::net {

void write_queue::add(std::string text) {
  if (text.empty())
    return;
  waiting_bytes_ += text.size();
  if (!waiting_.empty() && waiting_.back().size() <= longest_joined && text.size() <= longest_joined)
    waiting_.back() += text;
  else
    waiting_.push_back(std::move(text));
}

void write_queue::drop_waiting() {
  waiting_.clear();
  waiting_bytes_ = 0;
}

bool write_queue::begin() {
  if (waiting_.empty() || is_writing())
    return false;
  writing_.swap(waiting_);
  writing_bytes_ = rest_bytes_ = std::exchange(waiting_bytes_, 0);
  return true;
}

std::optional<boost::asio::const_buffer> write_queue::begin_joined() {
  if (!begin())
    return std::nullopt;
  auto& all = writing_.front();
  if (writing_.size() > 1)
    all.reserve(rest_bytes_);
  for (std::size_t i = 1; i < writing_.size(); ++i)
    all += writing_[i];
  writing_.resize(1);
  return boost::asio::buffer(all);
}

void write_queue::end() {
  writing_.clear();
  writing_bytes_ = rest_bytes_ = 0;
}

write_queue::buffers write_queue::texts() const {
  buffers result;
  result.reserve(writing_.size());
  for (auto& text : writing_)
    result.emplace_back(boost::asio::buffer(text));
  return result;
}

} // namespace troupe::net
