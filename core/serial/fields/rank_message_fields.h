// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/serial/fields/message_fields.h"
#include "core/serial/rank_messages.h"

namespace rooflinectl::serial {

void fields(auto& f, Is<RankInvitation> auto& invitation) {
  f("folder", invitation.folder);
  f("tokens", invitation.tokens);
}

void fields(auto& f, Is<RankHello> auto& hello) {
  f("program", hello.program);
  f("request", hello.request);
  f("host", hello.host);
  f("boot_id", hello.boot_id);
  f("is_locked", hello.is_locked);
  f.optional("device", hello.device);
  f.optional("failure", hello.failure);
}

void fields(auto& f, Is<RankStep> auto& step) {
  f("folder", step.folder);
  f("losses", step.losses);
  f.optional("stop_signal", step.stop_signal);
  f.optional("failure", step.failure);
}

}  // namespace rooflinectl::serial
