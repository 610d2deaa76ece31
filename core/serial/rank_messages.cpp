// SPDX-License-Identifier: Apache-2.0
#include "core/serial/rank_messages.h"

#include "core/serial/field_reader.h"
#include "core/serial/field_writer.h"
#include "core/serial/fields/rank_message_fields.h"

namespace rooflinectl {

namespace {

template <typename T>
T decoded_message(std::string_view text, const char* document) {
  const serial::Json value = serial::parse_object(text, document);
  return serial::read<T>(serial::Reader(value, document));
}

}  // namespace

std::string encode(const RankInvitation& invitation) {
  return serial::to_text(serial::to_json(invitation));
}

std::string encode(const RankHello& hello) {
  return serial::to_text(serial::to_json(hello));
}

std::string encode(const RankStep& step) {
  return serial::to_text(serial::to_json(step));
}

RankInvitation decode_invitation(std::string_view text) {
  return decoded_message<RankInvitation>(text, "invitation.json");
}

RankHello decode_hello(std::string_view text) {
  return decoded_message<RankHello>(text, "hello.json");
}

RankStep decode_step(std::string_view text) {
  return decoded_message<RankStep>(text, "step.json");
}

}  // namespace rooflinectl
