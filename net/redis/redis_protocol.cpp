#include "net/redis/redis_protocol.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>
#include <cstdlib>
#include <hiredis/hiredis.h>
#include <limits>
#include <new>

namespace troupe::net {

namespace {

constexpr const char* too_long = "the reply is too long";

redis_reply reply_of(const redisReply& from);

std::vector<redis_reply> parts_of(const redisReply& from) {
  std::vector<redis_reply> result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(from.elements); ++i)
    result.push_back(reply_of(*from.element[i]));
  return result;
}

redis_reply reply_of(const redisReply& from) {
  using kind = redis_reply::kind;
  auto text = [&] { return std::string{from.str, static_cast<std::size_t>(from.len)}; };
  switch (from.type) {
  case REDIS_REPLY_INTEGER:
    return {.is = kind::integer, .number = from.integer};
  case REDIS_REPLY_STRING:
  case REDIS_REPLY_STATUS:
    return {.is = kind::text, .text = text()};
  case REDIS_REPLY_ERROR:
    return {.is = kind::error, .text = protocol::one_line(text())};
  case REDIS_REPLY_ARRAY:
    return {.is = kind::array, .parts = parts_of(from)};
  default: // no other types without HELLO
    return {};
  }
}

struct reply_free {
  void operator()(void* one) const { freeReplyObject(one); }
};

} // namespace

std::string wire_text(const redis_command& command) {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (auto& one : command) {
    texts.push_back(one.data());
    sizes.push_back(one.size());
  }
  char* text = nullptr;
  auto size = redisFormatCommandArgv(&text, static_cast<int>(texts.size()), texts.data(), sizes.data());
  if (size < 0)
    throw std::bad_alloc{};
  std::string result(text, static_cast<std::size_t>(size));
  redisFreeCommand(text);
  return result;
}

/// Refuses arrays that are too long: hiredis allocates all elements as soon as it knows their number.
struct redis_reader::bounds {
  static constexpr int smallest_element = sizeof "+\r\n" - 1;

  static void* make_array(const redisReadTask* task, int size) {
    auto& of = *static_cast<bounds*>(task->privdata);
    of.is_too_long = of.is_too_long || size > of.most_elements;
    return of.is_too_long ? nullptr : of.make_any_array(task, size);
  }

  redisReplyObjectFunctions functions;
  void* (*make_any_array)(const redisReadTask*, int);
  int most_elements;
  bool is_too_long = false;
};

redis_reader::redis_reader(std::size_t longest) : reader_{redisReaderCreate(), redisReaderFree}, longest_{longest} {
  if (!reader_)
    throw std::bad_alloc{};
  const auto most = std::min<std::size_t>(longest / bounds::smallest_element, std::numeric_limits<int>::max());
  bounds_ = std::make_unique<bounds>(bounds{*reader_->fn, reader_->fn->createArray, static_cast<int>(most)});
  bounds_->functions.createArray = bounds::make_array;
  reader_->fn = &bounds_->functions;
  reader_->privdata = bounds_.get();
}

redis_reader::~redis_reader() = default;

void redis_reader::feed(std::string_view bytes) {
  size_ += bytes.size();
  if (redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK)
    why_not_ = protocol::one_line(static_cast<const char*>(reader_->errstr));
}

std::optional<redis_reply> redis_reader::next() {
  void* found = nullptr;
  if (why_not_.empty() && redisReaderGetReply(reader_.get(), &found) != REDIS_OK)
    why_not_ = bounds_->is_too_long ? too_long : protocol::one_line(static_cast<const char*>(reader_->errstr));
  std::unique_ptr<void, reply_free> owned{found};
  if (found) {
    size_ = 0;
    return reply_of(*static_cast<redisReply*>(found));
  }
  if (why_not_.empty() && size_ > longest_)
    why_not_ = too_long;
  return std::nullopt;
}

} // namespace troupe::net
