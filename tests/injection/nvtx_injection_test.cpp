// SPDX-License-Identifier: Apache-2.0
// Real NVTX, which calls into what is linked to this program as it calls into a library that is injected.
#include "injection/ranges/nvtx_injection.h"

#include <gmock/gmock.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>

#include <cstdint>
#include <string>
#include <thread>

#include "injection/launches/nccl_messages.h"

namespace {

rooflinectl::injection::NvtxPaths paths;
int attached = 0;

int NVTX_API initialize(NvtxGetExportTableFunc_t get_export_table) {
  if (!rooflinectl::injection::attach_to_nvtx(get_export_table, paths)) return 0;
  ++attached;
  return 1;
}

int NVTX_API initialize_extension(nvtxExtModuleInfo_t* module) {
  return static_cast<int>(rooflinectl::injection::attach_to_nvtx_extension(*module, paths));
}

// NVTX looks here before it asks the environment for a library.
[[maybe_unused]] const bool is_linked =
    (InitializeInjectionNvtx2_fnptr = initialize) != nullptr &&
    (InitializeInjectionNvtxExtension_fnptr = initialize_extension) != nullptr;

std::string path() {
  return paths.text(paths.current());
}

nvtxEventAttributes_t event(const char* name) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  return attributes;
}

TEST(NvtxInjection, SeesPushedRangesFromTheFirst) {
  EXPECT_EQ(nvtxRangePushA("step"), 0);
  EXPECT_EQ(attached, 1);
  EXPECT_EQ(nvtxRangePushA("forward"), 1);
  EXPECT_EQ(path(), "step/forward");
  EXPECT_EQ(nvtxRangePop(), 1);
  EXPECT_EQ(nvtxRangePop(), 0);
  EXPECT_LT(nvtxRangePop(), 0) << "one too many";
  EXPECT_EQ(path(), "");
}

TEST(NvtxInjection, SeesWideNames) {
  nvtxRangePushW(L"größe 漢 𝛼");
  EXPECT_EQ(path(), "größe 漢 𝛼");
  nvtxRangePop();
}

TEST(NvtxInjection, SeesEventsWithAndWithoutAMessage) {
  const nvtxEventAttributes_t named = event("softmax");
  nvtxEventAttributes_t unnamed = event("never read");
  unnamed.messageType = NVTX_MESSAGE_UNKNOWN;
  nvtxRangePushEx(&named);
  nvtxRangePushEx(&unnamed);
  EXPECT_EQ(path(), "softmax/(unnamed)");
  nvtxRangePop();
  nvtxRangePop();
}

TEST(NvtxInjection, SeesTheBytesOfNcclsCalls) {
  using rooflinectl::injection::nccl_messages;
  struct {
    std::uint64_t communicator = 7;
    std::uint64_t bytes = 4096;
    int operation = 0;
  } call;
  nvtxEventAttributes_t attributes = event("ncclAllReduce");
  nvtxPayloadData_t data{};
  NVTX_PAYLOAD_EVTATTR_SET_DATA(attributes, &data, NVTX_PAYLOAD_SCHEMA_ID_STATIC_START, &call, sizeof call);
  const auto push_in = [&](const char* name) {
    const nvtxDomainHandle_t domain = nvtxDomainCreateA(name);
    nvtxDomainRangePushEx(domain, &attributes);
    nvtxDomainRangePop(domain);
  };
  push_in("other");
  EXPECT_TRUE(nccl_messages().empty());
  push_in("NCCL");
  EXPECT_EQ(nccl_messages().take(), 4096);
  data.size = SIZE_MAX;
  push_in("NCCL");
  EXPECT_EQ(nccl_messages().take(), std::nullopt);
}

TEST(NvtxInjection, SeesDomainsAndRegisteredStrings) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("NCCL");
  const nvtxDomainHandle_t other = nvtxDomainCreateW(L"other");
  EXPECT_NE(domain, other);
  nvtxEventAttributes_t attributes = event("");
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nvtxDomainRegisterStringA(domain, "ncclAllReduce");
  nvtxRangePushA("step");
  nvtxDomainRangePushEx(domain, &attributes);
  EXPECT_EQ(path(), "step/ncclAllReduce");
  nvtxRangePop();
  EXPECT_EQ(path(), "ncclAllReduce") << "the default domain's range is popped";
  EXPECT_LT(nvtxDomainRangePop(other), 0);
  EXPECT_EQ(nvtxDomainRangePop(domain), 0);
  EXPECT_EQ(path(), "");
}

TEST(NvtxInjection, SeesRangesThatBeginOrEndWithAPayload) {
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("NCCL");
  const nvtxEventAttributes_t attributes = event("ncclCommInitRankConfig");
  const nvtxPayloadData_t data{};
  nvtxDomainRangePushEx(domain, &attributes);
  nvtxRangePushPayload(domain, &data, 1);
  EXPECT_EQ(path(), "ncclCommInitRankConfig/(unnamed)");
  nvtxDomainRangePop(domain);
  EXPECT_EQ(nvtxRangePopPayload(domain, &data, 1), 0);
  EXPECT_EQ(path(), "");
  const nvtxRangeId_t id = nvtxRangeStartPayload(domain, &data, 1);
  EXPECT_EQ(path(), "(unnamed)");
  nvtxRangeEndPayload(domain, id, &data, 1);
  EXPECT_EQ(path(), "");
}

TEST(NvtxInjection, SeesStartedRangesFromOtherThreads) {
  const nvtxRangeId_t epoch = nvtxRangeStartA("epoch");
  const nvtxEventAttributes_t attributes = event("step");
  const nvtxRangeId_t step = nvtxDomainRangeStartEx(nvtxDomainCreateA("app"), &attributes);
  EXPECT_NE(epoch, step);
  std::string seen;
  std::thread([&] { seen = path(); }).join();
  EXPECT_EQ(seen, "epoch/step");
  std::thread([&] { nvtxRangeEnd(epoch); }).join();
  EXPECT_EQ(path(), "step");
  nvtxRangeEnd(step);
  nvtxRangeEnd(step);
  EXPECT_EQ(path(), "");
}

}  // namespace
