#pragma once

#include "protocol/message/message.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace troupe::tests::simulation {

// Messages of the simulated clients and servers.

/// Token of answers that a hostile client makes up.
inline constexpr std::string_view forged_token = "forged";

std::string request_text(std::string_view id, std::string_view method, std::string_view params);
std::string note_text(std::string_view method, std::string_view params);
std::string result_text(std::string_view id, std::string_view value);

/// Request of a client that answers questions about samples. Batches belong to revision 2025-03-26.
std::string initialize_text(std::string_view id, bool has_batches);
/// Call of a tool; a server answers with the token.
std::string call_text(std::string_view id, std::string_view token);
std::string batch_of(const std::vector<std::string>& texts);
/// Answer to a question: shows the question's token, and the session of the client.
std::string answer_text(std::string_view id, std::string_view token, std::string_view session);

/// The value of an answer to a question, as stateless clients give it: it must be a sample.
std::string sample_of(std::string_view token, std::string_view session);

/// The messages of a text, which may be a batch; none if it is invalid.
std::vector<protocol::message> messages_in(std::string text);
/// Tokens of the calls among the messages.
std::vector<std::string> call_tokens(const std::vector<protocol::message>& all);

} // namespace troupe::tests::simulation
