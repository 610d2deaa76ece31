// SPDX-License-Identifier: Apache-2.0
#include "core/serial/program/profile_settings.h"

#include "core/error.h"
#include "core/serial/field_reader.h"
#include "core/serial/field_writer.h"
#include "core/serial/fields/profile_settings_fields.h"

namespace rooflinectl {

std::string encode(const ProfileSettings& settings) {
  return serial::to_text(serial::to_json(settings));
}

ProfileSettings decode_settings(std::string_view value) {
  try {
    const serial::Json document = serial::parse_object(value, kProfileVariable);
    return serial::read<ProfileSettings>(serial::Reader(document, kProfileVariable));
  } catch (const Error& error) {
    throw Error(ErrorKind::environment, error.what(),
                "`rooflinectl profile` sets the variable; rooflinectl and librooflinectl-injection.so must "
                "come from the same installation");
  }
}

}  // namespace rooflinectl
