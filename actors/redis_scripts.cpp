#include "actors/redis_scripts.hpp"

#include "net/digest.hpp"
#include "protocol/number.hpp"

#include <array>
#include <utility>

namespace troupe::actors {

namespace {

using net::redis_command;
using net::redis_reply;
using verdict = store_answer::verdict;

// Of a session's scripts: KEYS are its hash, its events and our lease; ARGV begins with our name and the time that a
// session is kept.

constexpr auto renew_script = R"(
local runs, known = redis.call('EXISTS', KEYS[1]), redis.call('EXISTS', KEYS[2])
redis.call('SET', KEYS[1], 1, 'PX', ARGV[1])
redis.call('SET', KEYS[2], 1, 'PX', ARGV[2])
return {runs == 0 and known == 1 and 'lapsed' or 'done'})";

constexpr auto save_script = R"(
local owner = redis.call('HGET', KEYS[1], 'owner')
if owner and owner ~= ARGV[1] then return {'foreign'} end
if redis.call('EXISTS', KEYS[3]) == 0 then return {'lapsed'} end
if not owner then redis.call('DEL', KEYS[2]) end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'record', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return {'done'})";

constexpr auto append_script = R"(
local owner = redis.call('HGET', KEYS[1], 'owner')
if not owner then return {'unknown'} end
if owner ~= ARGV[1] then return {'foreign'} end
if redis.call('EXISTS', KEYS[3]) == 0 then return {'lapsed'} end
redis.call('XADD', KEYS[2], '*', 'stream', ARGV[5], 'place', ARGV[6], 'vital', ARGV[7], 'text', ARGV[8])
local bytes = redis.call('HINCRBY', KEYS[1], 'bytes', #ARGV[8])
local count = redis.call('XLEN', KEYS[2])
while count > tonumber(ARGV[3]) or bytes > tonumber(ARGV[4]) do
  local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
  if not first then break end
  redis.call('XDEL', KEYS[2], first[1])
  bytes = redis.call('HINCRBY', KEYS[1], 'bytes', -#first[2][8])
  count = count - 1
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return {'done'})";

constexpr auto forget_script = R"(
local owner = redis.call('HGET', KEYS[1], 'owner')
if owner and owner ~= ARGV[1] then return {'foreign'} end
redis.call('DEL', KEYS[1], KEYS[2])
return {'done'})";

constexpr auto take_script = R"(
local owner = redis.call('HGET', KEYS[1], 'owner')
if not owner then return {'unknown'} end
if redis.call('EXISTS', KEYS[3]) == 0 then return {'lapsed'} end
if owner ~= ARGV[1] and redis.call('EXISTS', ARGV[3] .. owner) == 1 then return {'busy', owner} end
redis.call('HSET', KEYS[1], 'owner', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return {'done', redis.call('HGET', KEYS[1], 'record'), redis.call('XRANGE', KEYS[2], '-', '+')})";

std::string text_of(std::chrono::milliseconds time) { return std::to_string(time.count()); }

verdict verdict_of(const std::string& word) {
  static const std::array<std::pair<const char*, verdict>, 5> all{{{"done", verdict::done},
                                                                   {"foreign", verdict::foreign},
                                                                   {"lapsed", verdict::lapsed},
                                                                   {"unknown", verdict::unknown},
                                                                   {"busy", verdict::busy}}};
  for (auto& [text, value] : all)
    if (word == text)
      return value;
  return verdict::failed;
}

/// `[id, [stream, 1, place, 2, vital, 0, text, …]]`, as XRANGE has it.
std::optional<protocol::saved_event> event_of(const redis_reply& entry) {
  if (entry.parts.size() != 2 || entry.parts[1].parts.size() != 8)
    return std::nullopt;
  auto& fields = entry.parts[1].parts;
  auto stream = protocol::read_number(fields[1].text), place = protocol::read_number(fields[3].text);
  if (!stream || !place)
    return std::nullopt;
  return protocol::saved_event{
      .stream = *stream, .place = *place, .text = fields[7].text, .vital = fields[5].text == "1"};
}

} // namespace

redis_scripts::redis_scripts(std::string prefix, std::string owner, const limits& of)
    : prefix_{std::move(prefix)}, owner_{std::move(owner)}, lease_{text_of(of.lease)},
      known_time_{text_of(of.session_time + of.lease)}, session_time_{text_of(of.session_time)},
      most_events_{std::to_string(of.most_events)}, most_bytes_{std::to_string(of.most_bytes)} {}

redis_command redis_scripts::renew() const {
  return {"EVAL", renew_script, "2", prefix_ + "n:" + owner_, prefix_ + "k:" + owner_, lease_, known_time_};
}

redis_command redis_scripts::save(const std::string& session, const std::string& record) const {
  return script(save_script, session, {record});
}

redis_command redis_scripts::append(const std::string& session, const protocol::saved_event& what) const {
  return script(append_script, session,
                {most_events_, most_bytes_, std::to_string(what.stream), std::to_string(what.place),
                 what.vital ? "1" : "0", what.text});
}

redis_command redis_scripts::forget(const std::string& session) const { return script(forget_script, session, {}); }

redis_command redis_scripts::take(const std::string& session) const {
  return script(take_script, session, {prefix_ + "n:"});
}

redis_command redis_scripts::leave() const { return {"DEL", prefix_ + "n:" + owner_, prefix_ + "k:" + owner_}; }

redis_command redis_scripts::script(const char* text, const std::string& session, redis_command arguments) const {
  auto key = net::digest_hex(session);
  redis_command result{"EVAL", text,         "3", prefix_ + "s:" + key, prefix_ + "e:" + key, prefix_ + "n:" + owner_,
                       owner_, session_time_};
  for (auto& one : arguments)
    result.push_back(std::move(one));
  return result;
}

store_answer read_answer(const redis_reply& reply) {
  if (reply.failed())
    return {verdict::failed, reply.text};
  auto is = reply.parts.empty() ? verdict::failed : verdict_of(reply.parts.front().text);
  return {is, is == verdict::failed ? "Redis gave an answer of another kind" : ""};
}

search_answered read_found(std::string session, const redis_reply& reply) {
  search_answered result{std::move(session), read_answer(reply), {}, {}, {}};
  if (result.answer.is == verdict::busy && reply.parts.size() == 2)
    result.owner = reply.parts[1].text;
  if (reply.parts.size() < 3)
    return result;
  result.record = reply.parts[1].text;
  for (auto& entry : reply.parts[2].parts)
    if (auto event = event_of(entry))
      result.events.push_back(std::move(*event));
  return result;
}

} // namespace troupe::actors
