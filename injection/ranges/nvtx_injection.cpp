// SPDX-License-Identifier: Apache-2.0
#include "injection/ranges/nvtx_injection.h"

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/text/printable.h"
#include "injection/launches/nccl_messages.h"

namespace rooflinectl::injection {

namespace {

constexpr const char* kUnnamed = "(unnamed)";

NvtxPaths* paths_of_process = nullptr;

/// UTF-8 of a wide string, which has 32-bit characters here.
std::string narrow(const wchar_t* text) {
  const std::wstring_view wide = text == nullptr ? L"" : text;
  return encode_utf8(std::u32string(wide.begin(), wide.end()));
}

std::string narrow(const char* text) {
  return text == nullptr ? "" : text;
}

struct DomainMark {
  bool is_nccl = false;
};

std::string message_of(const nvtxEventAttributes_t* event) {
  if (event == nullptr) return kUnnamed;
  switch (event->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return narrow(event->message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE:
      return narrow(event->message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return event->message.registered == nullptr
                 ? kUnnamed
                 : *reinterpret_cast<const std::string*>(event->message.registered);
    default:
      return kUnnamed;
  }
}

template <typename Character>
nvtxStringHandle_t NVTX_API register_string(nvtxDomainHandle_t, const Character* text) {
  const std::string* const registered = paths_of_process->registered(narrow(text));
  return reinterpret_cast<nvtxStringHandle_t>(const_cast<std::string*>(registered));
}

template <typename Character>
nvtxDomainHandle_t NVTX_API create_domain(const Character* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(new DomainMark{.is_nccl = narrow(name) == kNcclDomain});
}

/// The bytes that an event has besides its message; empty if there are none, or their size is unknown.
std::string_view payload_of(const nvtxEventAttributes_t* event) {
  if (event == nullptr || event->payloadType != NVTX_PAYLOAD_TYPE_EXT || event->reserved0 < 1) return {};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): NVTX passes the pointer as a number
  const auto* const data = reinterpret_cast<const nvtxPayloadData_t*>(event->payload.ullValue);
  if (data == nullptr || data->payload == nullptr || data->size == SIZE_MAX) return {};
  return {static_cast<const char*>(data->payload), data->size};
}

/// NCCL opens a range in each of its functions; a collective's has the bytes of its message.
void note_nccl_call(const std::string& function, const nvtxEventAttributes_t* event) {
  if (moves_bytes(function)) nccl_messages().add(nccl_message_bytes(function, payload_of(event)));
}

template <typename Character>
int NVTX_API push(const Character* name) {
  return paths_of_process->push(nullptr, narrow(name));
}
int NVTX_API push_event(const nvtxEventAttributes_t* event) {
  return paths_of_process->push(nullptr, message_of(event));
}
int NVTX_API push_in_domain(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  const std::string name = message_of(event);
  const auto* const mark = reinterpret_cast<const DomainMark*>(domain);
  if (mark != nullptr && mark->is_nccl) note_nccl_call(name, event);
  return paths_of_process->push(domain, name);
}
int NVTX_API pop() {
  return paths_of_process->pop(nullptr);
}
int NVTX_API pop_in_domain(nvtxDomainHandle_t domain) {
  return paths_of_process->pop(domain);
}

template <typename Character>
nvtxRangeId_t NVTX_API start(const Character* name) {
  return paths_of_process->start(narrow(name));
}
nvtxRangeId_t NVTX_API start_event(const nvtxEventAttributes_t* event) {
  return paths_of_process->start(message_of(event));
}
nvtxRangeId_t NVTX_API start_in_domain(nvtxDomainHandle_t, const nvtxEventAttributes_t* event) {
  return paths_of_process->start(message_of(event));
}
void NVTX_API end(nvtxRangeId_t id) {
  paths_of_process->end(id);
}
void NVTX_API end_in_domain(nvtxDomainHandle_t, nvtxRangeId_t id) {
  paths_of_process->end(id);
}

// A payload has no name: that would be a message.
int NVTX_API push_payload(nvtxDomainHandle_t domain, const nvtxPayloadData_t*, std::size_t) {
  return paths_of_process->push(domain, kUnnamed);
}
int NVTX_API pop_payload(nvtxDomainHandle_t domain, const nvtxPayloadData_t*, std::size_t) {
  return paths_of_process->pop(domain);
}
nvtxRangeId_t NVTX_API start_payload(nvtxDomainHandle_t, const nvtxPayloadData_t*, std::size_t) {
  return paths_of_process->start(kUnnamed);
}
void NVTX_API end_payload(nvtxDomainHandle_t, nvtxRangeId_t id, const nvtxPayloadData_t*, std::size_t) {
  paths_of_process->end(id);
}

/// NVTX's table of the functions of one of its modules.
class FunctionTable {
 public:
  FunctionTable(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module) {
    if (callbacks.GetModuleFunctionTable(module, &functions_, &size_) == 0) size_ = 0;
  }

  bool is_empty() const { return size_ == 0; }

  /// From now on NVTX calls `function` where it has number `id`; an older NVTX may not have it.
  template <typename Function>
  void set(unsigned int id, Function* function) {
    if (id < size_ && functions_[id] != nullptr) {
      *functions_[id] = reinterpret_cast<NvtxFunctionPointer>(function);
    }
  }

 private:
  NvtxFunctionTable functions_ = nullptr;
  unsigned int size_ = 0;
};

}  // namespace

bool attach_to_nvtx(const void* (*get_export_table)(unsigned int table), NvtxPaths& paths) {
  const auto* const callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(NvtxExportTableCallbacks)) return false;
  FunctionTable core(*callbacks, NVTX_CB_MODULE_CORE);
  FunctionTable domains(*callbacks, NVTX_CB_MODULE_CORE2);
  if (core.is_empty() || domains.is_empty()) return false;

  paths_of_process = &paths;
  core.set(NVTX_CBID_CORE_RangePushA, push<char>);
  core.set(NVTX_CBID_CORE_RangePushW, push<wchar_t>);
  core.set(NVTX_CBID_CORE_RangePushEx, push_event);
  core.set(NVTX_CBID_CORE_RangePop, pop);
  core.set(NVTX_CBID_CORE_RangeStartA, start<char>);
  core.set(NVTX_CBID_CORE_RangeStartW, start<wchar_t>);
  core.set(NVTX_CBID_CORE_RangeStartEx, start_event);
  core.set(NVTX_CBID_CORE_RangeEnd, end);
  domains.set(NVTX_CBID_CORE2_DomainRangePushEx, push_in_domain);
  domains.set(NVTX_CBID_CORE2_DomainRangePop, pop_in_domain);
  domains.set(NVTX_CBID_CORE2_DomainRangeStartEx, start_in_domain);
  domains.set(NVTX_CBID_CORE2_DomainRangeEnd, end_in_domain);
  domains.set(NVTX_CBID_CORE2_DomainRegisterStringA, register_string<char>);
  domains.set(NVTX_CBID_CORE2_DomainRegisterStringW, register_string<wchar_t>);
  domains.set(NVTX_CBID_CORE2_DomainCreateA, create_domain<char>);
  domains.set(NVTX_CBID_CORE2_DomainCreateW, create_domain<wchar_t>);
  return true;
}

bool attach_to_nvtx_extension(nvtxExtModuleInfo_t& module, NvtxPaths& paths) {
  if (module.moduleId != NVTX_EXT_PAYLOAD_MODULEID || module.segmentsCount < 1) return false;
  paths_of_process = &paths;
  const auto set = [&slots = module.segments[0]](std::size_t id, auto* function) {
    if (id < slots.slotCount) slots.functionSlots[id] = reinterpret_cast<std::intptr_t>(function);
  };
  set(NVTX3EXT_CBID_nvtxRangePushPayload, push_payload);
  set(NVTX3EXT_CBID_nvtxRangePopPayload, pop_payload);
  set(NVTX3EXT_CBID_nvtxRangeStartPayload, start_payload);
  set(NVTX3EXT_CBID_nvtxRangeEndPayload, end_payload);
  return true;
}

}  // namespace rooflinectl::injection
