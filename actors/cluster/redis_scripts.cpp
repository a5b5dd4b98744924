#include "actors/cluster/redis_scripts.hpp"

#include "net/crypto.hpp"
#include "protocol/cluster/sealed_session_ids.hpp"
#include "protocol/text/number.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::actors {

namespace {

using net::redis_command;
using net::redis_reply;
using verdict = protocol::store_verdict;

// Session scripts: KEYS are the session's hash, events, vital events, stream purposes, this node's tenure, and the mark
// of a session that is over. ARGV starts with the name of this node and the time that a session is kept, and ends with
// the number of the connection.

// A full Redis refuses commands that may use memory, unless their script first ran a write that uses none. Tenures,
// records and owners are small, so their scripts run PEXPIRE first. Events are refused.

// Common start of scripts that notice a loss of data. `KEYS` end with `k:<owner>`, `server`, `moved`, `emptied`,
// `lost`; `ARGV` end with the numbers of the renewal and the take-over and the server that the node has seen, and the
// times of `k:<owner>`, `moved` and `emptied`. A server that does not tell its `run_id` is never another one. A server
// that has lost all its data has only the sessions that were claimed since.
constexpr auto loss_begin = R"(
local known_key, server_key, moved_key, emptied_key, lost_key = unpack(KEYS, #KEYS - 4)
local seen_renewal, seen_taken, seen_server, known_time, moved_time, emptied_time = unpack(ARGV, #ARGV - 5)
local told = redis.pcall('INFO', 'server')
local server = type(told) == 'string' and told:match('run_id:(%w+)') or ''
redis.call('PEXPIRE', server_key, known_time)
local last_server = redis.call('GET', server_key)
local renewal, taken = (redis.call('GET', known_key) or '0'):match('^(%d+) ?(%d*)')
renewal, taken = tonumber(renewal), tonumber(taken) or 0
local function know(renewed, took)
  redis.call('SET', known_key, string.format('%.0f %.0f', math.max(renewal, renewed), math.max(taken, took)), 'PX',
             known_time)
end
local function differs(one) return server ~= '' and one and one ~= '' and one ~= server end
local lacks_seen = renewal < tonumber(seen_renewal) or taken < tonumber(seen_taken)
local has_lost = lacks_seen or differs(last_server) or differs(seen_server)
if has_lost and (last_server or server == '') then redis.call('SET', moved_key, 1, 'PX', moved_time) end
if has_lost or not last_server and server ~= '' then
  redis.call('SET', emptied_key, 1, 'PX', emptied_time)
  redis.call('SET', lost_key, 1, 'PX', known_time)
end
if last_server ~= server and server ~= '' then redis.call('SET', server_key, server, 'PX', known_time) end
)";

// A node whose tenure has run out since a loss may not have claimed its sessions yet: Redis was away again.
constexpr auto renew_script = R"(
local runs, known = redis.call('PEXPIRE', KEYS[1], ARGV[1]), redis.call('PEXPIRE', known_key, known_time)
local may_claim = runs == 0 and known == 1 and redis.call('EXISTS', lost_key) == 1
if may_claim then redis.call('SET', emptied_key, 1, 'PX', emptied_time) end
local writer = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), tonumber(ARGV[3]))
redis.call('SET', KEYS[1], writer, 'PX', ARGV[1])
know(tonumber(ARGV[2]), tonumber(seen_taken))
local is_moved = has_lost or runs == 0 and redis.call('EXISTS', moved_key) == 1
return {known == 0 and 'emptied' or is_moved and 'moved' or runs == 0 and 'lapsed' or 'done', server})";

// A claim adds to ARGV whether the store is new, whether the session is held, and the prefix of tenures.
constexpr auto save_script = R"(
local owner = redis.call('HGET', KEYS[1], 'owner')
local is_other = owner and owner ~= ARGV[1]
if is_other and (ARGV[5] ~= 'held' or redis.call('EXISTS', ARGV[6] .. owner) == 1) then return {'foreign'} end
if not owner and redis.call('EXISTS', KEYS[6]) == 1 then return {'foreign'} end
if redis.call('GET', KEYS[5]) ~= ARGV[#ARGV] then return {'lapsed'} end
if not owner and ARGV[4] == 'known' then return {'unknown'} end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
if not owner or is_other or ARGV[4] == 'new' then
  redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
  redis.call('HDEL', KEYS[1], 'bytes')
end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'record', ARGV[3])
for i = 1, 4 do redis.call('PEXPIRE', KEYS[i], ARGV[2]) end
return {'done', redis.call('HGET', KEYS[1], 'bytes') or '0'})";

// Common start of scripts that add to a log. ARGV continues: most events, most bytes, most streams, then the stream.
constexpr auto log_begin = R"(
local owner = redis.call('HGET', KEYS[1], 'owner')
if not owner then return {'unknown'} end
if owner ~= ARGV[1] then return {'foreign'} end
if redis.call('GET', KEYS[5]) ~= ARGV[#ARGV] then return {'lapsed'} end
local bytes = tonumber(redis.call('HGET', KEYS[1], 'bytes') or 0)
local function grow(by) bytes = redis.call('HINCRBY', KEYS[1], 'bytes', by) end
local function add(key, text)
  grow(#text)
  redis.call('ZADD', key, ARGV[6], text)
end
local function cut(key, all)
  for _, one in ipairs(all) do
    grow(-#one)
    redis.call('ZREM', key, one)
  end
end
local function of_stream(key) return redis.call('ZRANGEBYSCORE', key, ARGV[6], ARGV[6]) end
local newest
)";

constexpr auto add_event = R"(
local age = redis.call('HINCRBY', KEYS[1], 'told', 1)
newest = redis.call('XADD', KEYS[2], '*', 'stream', ARGV[6], 'place', ARGV[7], 'age', age, 'text', ARGV[8])
grow(#ARGV[8])
)";

// Positions have a fixed width, so the texts of each stream sort by position.
constexpr auto add_vital = R"(
local age = redis.call('HINCRBY', KEYS[1], 'told', 1)
newest = ARGV[6] .. ' ' .. ARGV[7] .. ' ' .. age .. ' ' .. ARGV[8]
add(KEYS[3], newest)
)";

constexpr auto set_purpose = R"(
cut(KEYS[4], of_stream(KEYS[4]))
add(KEYS[4], ARGV[6] .. ' ' .. ARGV[7])
if redis.call('ZCARD', KEYS[4]) > tonumber(ARGV[5]) then cut(KEYS[4], redis.call('ZRANGE', KEYS[4], 0, 0)) end
)";

// Removes the purpose and the vital events of a stream; its other events are dropped as they age.
constexpr auto forget_stream = R"(
cut(KEYS[4], of_stream(KEYS[4]))
cut(KEYS[3], of_stream(KEYS[3]))
)";

// Drops entries over the limits. The newest event goes last: a client is waiting for it.
constexpr auto log_end = R"(
local count = redis.call('XLEN', KEYS[2]) + redis.call('ZCARD', KEYS[3])
while count > tonumber(ARGV[3]) or bytes > tonumber(ARGV[4]) do
  local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
  local vital = redis.call('ZRANGE', KEYS[3], 0, 1)
  if vital[1] == newest then table.remove(vital, 1) end
  count = count - 1
  if first and first[1] ~= newest then
    grow(-#first[2][8])
    redis.call('XDEL', KEYS[2], first[1])
  elseif #vital > 0 then
    cut(KEYS[3], {vital[1]})
  elseif newest then
    newest, count = nil, count + 1
  else
    local purpose = redis.call('ZRANGE', KEYS[4], 0, 0)
    if #purpose == 0 then break end
    cut(KEYS[4], purpose)
  end
end
for i = 1, 4 do redis.call('PEXPIRE', KEYS[i], ARGV[2]) end
return {'done', tostring(bytes)})";

constexpr auto clear_script = R"(
local owner = redis.call('HGET', KEYS[1], 'owner')
if not owner then return {'unknown'} end
if owner ~= ARGV[1] then return {'foreign'} end
if redis.call('GET', KEYS[5]) ~= ARGV[#ARGV] then return {'lapsed'} end
local bytes = 0
for _, one in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do bytes = bytes + #one end
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('HSET', KEYS[1], 'bytes', bytes)
return {'done'})";

// Marks a session that was taken as over: an earlier owner, which knows nothing of that, may claim it.
constexpr auto forget_script = R"(
local owner, taken = unpack(redis.call('HMGET', KEYS[1], 'owner', 'taken'))
local is_other = owner and owner ~= ARGV[1]
local is_held = ARGV[3] == 'held' and redis.call('GET', KEYS[5]) == ARGV[#ARGV]
if is_other and (not is_held or redis.call('EXISTS', ARGV[4] .. owner) == 1) then return {'foreign'} end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
if taken then redis.call('SET', KEYS[6], 1, 'PX', ARGV[2]) end
return {'done'})";

constexpr auto take_script = R"(
if redis.call('EXISTS', KEYS[5]) == 0 then return {'lapsed'} end
local owner = redis.call('HGET', KEYS[1], 'owner')
if not owner and redis.call('EXISTS', emptied_key) == 1 then return {'untold'} end
if not owner and ARGV[5] ~= ARGV[1] and redis.call('EXISTS', ARGV[3] .. ARGV[5]) == 1 then return {'busy', ARGV[5]} end
if not owner then return {'unknown'} end
if owner ~= ARGV[1] and redis.call('EXISTS', ARGV[3] .. owner) == 1 then return {'busy', owner} end
if redis.call('EXISTS', moved_key) == 1 then return {'untold'} end
local clock, rest = redis.call('TIME'), redis.call('PTTL', KEYS[1])
if rest < 0 then rest = ARGV[2] end
local ends = clock[1] * 1000 + math.floor(clock[2] / 1000) + rest
for i = 1, 4 do redis.call('PEXPIRE', KEYS[i], ARGV[2]) end
redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'taken', ARGV[4], 'ends', string.format('%.0f', ends))
know(0, tonumber(ARGV[4]))
return {'done', redis.call('HGET', KEYS[1], 'record'), redis.call('XRANGE', KEYS[2], '-', '+'),
        redis.call('ZRANGE', KEYS[3], 0, -1), redis.call('ZRANGE', KEYS[4], 0, -1), owner})";

// Sets an empty owner, whose tenure never runs. A command of a broken connection may run late, after a new `take_over`
// with another number. The original expiry is restored: requests of other callers must not prolong the session.
constexpr auto give_back_script = R"(
local owner, taken, ends = unpack(redis.call('HMGET', KEYS[1], 'owner', 'taken', 'ends'))
if owner == ARGV[1] and taken == ARGV[3] then
  for i = 1, 4 do redis.call('PEXPIREAT', KEYS[i], ends) end
  if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'owner', '') end
end
return {'done'})";

constexpr auto release_script = R"(
local owner = redis.call('HGET', KEYS[1], 'owner')
if not owner then return {'unknown'} end
if owner ~= ARGV[1] then return {'foreign'} end
if (redis.call('GET', KEYS[5]) or ARGV[#ARGV]) ~= ARGV[#ARGV] then return {'lapsed'} end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('HSET', KEYS[1], 'owner', '')
return {'done'})";

std::string milliseconds_text(std::chrono::milliseconds time) { return std::to_string(time.count()); }

verdict verdict_of(const std::string& word) {
  static const std::array<std::pair<const char*, verdict>, 8> all{{{"done", verdict::done},
                                                                   {"foreign", verdict::foreign},
                                                                   {"lapsed", verdict::lapsed},
                                                                   {"emptied", verdict::emptied},
                                                                   {"moved", verdict::moved},
                                                                   {"unknown", verdict::unknown},
                                                                   {"untold", verdict::untold},
                                                                   {"busy", verdict::busy}}};
  for (auto& [text, value] : all)
    if (word == text)
      return value;
  return verdict::failed;
}

/// Pads a position to the longest width, so that texts sort like numbers.
std::string padded(std::uint64_t position) {
  auto digits = std::to_string(position);
  return std::string(std::numeric_limits<std::uint64_t>::digits10 + 1 - digits.size(), '0') + digits;
}

/// Event, and the count of events before it.
using aged_event = std::pair<std::uint64_t, protocol::saved_event>;

std::optional<aged_event> made(std::string_view stream, std::string_view position, std::string_view age,
                               std::string_view text, bool vital) {
  auto read = [](std::string_view digits) { return protocol::read_number(digits); };
  if (!read(stream) || !read(position) || !read(age))
    return std::nullopt;
  return aged_event{*read(age), {*read(stream), *read(position), std::string{text}, vital}};
}

/// Parses an XRANGE entry: `[id, [stream, 1, place, 2, age, 3, text, …]]`.
std::optional<aged_event> event_of(const redis_reply& entry) {
  if (entry.parts.size() != 2 || entry.parts[1].parts.size() != 8)
    return std::nullopt;
  auto& fields = entry.parts[1].parts;
  return made(fields[1].text, fields[3].text, fields[5].text, fields[7].text, false);
}

/// Removes the text up to the next space, and the space; returns the text.
std::string_view take_word(std::string_view& text) {
  auto word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(word.size() + 1, text.size()));
  return word;
}

std::optional<aged_event> vital_of(std::string_view text) {
  auto stream = take_word(text), position = take_word(text), age = take_word(text);
  return made(stream, position, age, text, true);
}

/// Parses a purpose. Age 0: a stream's purpose precedes all its events.
std::optional<aged_event> purpose_of(std::string_view text) {
  auto stream = take_word(text);
  return made(stream, "0", "0", text, false);
}

/// Returns the log that `take_over` found, in the order in which it was written.
std::vector<protocol::saved_event> log_of(const redis_reply& events, const redis_reply& vital,
                                          const redis_reply& purposes) {
  std::vector<aged_event> aged;
  auto add = [&](std::optional<aged_event> one) {
    if (one)
      aged.push_back(std::move(*one));
  };
  for (auto& one : purposes.parts)
    add(purpose_of(one.text));
  for (auto& one : events.parts)
    add(event_of(one));
  for (auto& one : vital.parts)
    add(vital_of(one.text));
  std::ranges::stable_sort(aged, [](auto& a, auto& b) { return a.first < b.first; });
  std::vector<protocol::saved_event> result;
  for (auto& [age, one] : aged)
    result.push_back(std::move(one));
  return result;
}

} // namespace

redis_scripts::redis_scripts(std::string prefix, std::string owner, const limits& of)
    : prefix_{std::move(prefix)}, owner_{std::move(owner)}, tenure_{milliseconds_text(of.tenure)},
      untold_{milliseconds_text(protocol::tenure::untold_for(of.tenure))}, session_time_{milliseconds_text(
                                                                               of.session_time)},
      pause_{milliseconds_text(protocol::tenure::pause_for(of.tenure))}, known_time_{milliseconds_text(of.session_time +
                                                                                                       of.tenure)},
      most_events_{std::to_string(of.most_events)}, most_bytes_{std::to_string(of.most_bytes)} {}

/// Adds what a script needs to notice a loss of data.
redis_command redis_scripts::noticing(const char* text, redis_command keys, redis_command arguments,
                                      const protocol::store_sight& seen) const {
  for (auto& one :
       {"k:" + owner_, std::string{"server"}, std::string{"moved"}, std::string{"emptied"}, std::string{"lost"}})
    keys.push_back(prefix_ + one);
  for (auto& one :
       {std::to_string(seen.renewal), std::to_string(seen.taken), seen.process, known_time_, pause_, untold_})
    arguments.push_back(one);
  redis_command result{"EVAL", std::string{loss_begin} + text, std::to_string(keys.size())};
  result.insert(result.end(), keys.begin(), keys.end());
  result.insert(result.end(), arguments.begin(), arguments.end());
  return result;
}

redis_command redis_scripts::renew(const protocol::renew_tenure& what) const {
  return noticing(renew_script, {prefix_ + "n:" + owner_},
                  {tenure_, std::to_string(what.number), std::to_string(what.writer)}, what.seen);
}

redis_command redis_scripts::sent_by(std::uint64_t writer, redis_command write) {
  write.push_back(std::to_string(writer));
  return write;
}

redis_command redis_scripts::save(const std::string& session, const std::string& record) const {
  return script(save_script, session, {record});
}

redis_command redis_scripts::claim(const std::string& session, const std::string& record,
                                   const protocol::session_claim& how) const {
  return script(save_script, session,
                {record, how.is_new_store ? "new" : "known", how.is_held ? "held" : "", prefix_ + "n:"});
}

redis_command redis_scripts::append(const std::string& session, const protocol::saved_event& what) const {
  auto stream = std::to_string(what.stream);
  if (what.position != 0)
    return log(what.vital ? add_vital : add_event, session, {stream, padded(what.position), what.text});
  return log(what.text.empty() ? forget_stream : set_purpose, session, {stream, what.text});
}

redis_command redis_scripts::log(const char* what, const std::string& session, redis_command arguments) const {
  arguments.insert(arguments.begin(), {most_events_, most_bytes_, std::to_string(most_streams)});
  return script(std::string{log_begin} + what + log_end, session, std::move(arguments));
}

redis_command redis_scripts::clear(const std::string& session) const { return script(clear_script, session, {}); }

redis_command redis_scripts::forget(const std::string& session, bool is_held) const {
  return script(forget_script, session, {is_held ? "held" : "", prefix_ + "n:"});
}

redis_command redis_scripts::take_over(const std::string& session, std::uint64_t number,
                                       const protocol::store_sight& seen) const {
  return noticing(take_script, keys_of(session),
                  {owner_, session_time_, prefix_ + "n:", std::to_string(number), protocol::life_named_by(session)},
                  seen);
}

redis_command redis_scripts::give_back(const std::string& session, std::uint64_t taken) const {
  return script(give_back_script, session, {std::to_string(taken)});
}

redis_command redis_scripts::release(const std::string& session) const { return script(release_script, session, {}); }

/// Leaves `<prefix>k:<owner>` in place: a renewal may still arrive after this.
redis_command redis_scripts::leave() const { return {"DEL", prefix_ + "n:" + owner_}; }

redis_command redis_scripts::script(std::string text, const std::string& session, redis_command arguments) const {
  redis_command result{"EVAL", std::move(text), "6"};
  for (auto& one : keys_of(session))
    result.push_back(std::move(one));
  for (auto& one : {owner_, session_time_})
    result.push_back(one);
  for (auto& one : arguments)
    result.push_back(std::move(one));
  return result;
}

redis_command redis_scripts::keys_of(const std::string& session) const {
  auto key = net::digest_hex(session);
  redis_command result;
  for (auto kind : {"s:", "e:", "v:", "p:"})
    result.push_back(prefix_ + kind + key);
  result.push_back(prefix_ + "n:" + owner_);
  result.push_back(prefix_ + "o:" + key);
  return result;
}

protocol::store_answer read_answer(const redis_reply& reply) {
  if (reply.failed())
    return {reply.is == redis_reply::kind::lost ? verdict::lost : verdict::failed, reply.text};
  auto is = reply.parts.empty() ? verdict::failed : verdict_of(reply.parts.front().text);
  auto bytes =
      is == verdict::done && reply.parts.size() == 2 ? protocol::read_number(reply.parts[1].text) : std::nullopt;
  return {is, is == verdict::failed ? "Redis gave an answer of another kind" : "", bytes.value_or(0)};
}

protocol::store_answer read_renewal(const redis_reply& reply) {
  auto result = read_answer(reply);
  if (reply.parts.size() == 2)
    result.process = reply.parts[1].text;
  return result;
}

protocol::search_result read_found(std::string session, const redis_reply& reply) {
  protocol::search_result result{std::move(session), read_answer(reply), {}, {}, {}};
  if (result.answer.is == verdict::busy && reply.parts.size() == 2)
    result.owner = reply.parts[1].text;
  if (reply.parts.size() != 6)
    return result;
  result.owner = reply.parts[5].text;
  result.record = reply.parts[1].text;
  result.events = log_of(reply.parts[2], reply.parts[3], reply.parts[4]);
  return result;
}

} // namespace troupe::actors
