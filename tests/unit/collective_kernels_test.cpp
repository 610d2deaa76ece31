// SPDX-License-Identifier: Apache-2.0
// Which kernels wait for kernels of other devices.
#include <gtest/gtest.h>

#include "core/program/application.h"

namespace rooflinectl::collective_kernels_test {
namespace {

TEST(CollectiveKernels, AreKnownByTheirNames) {
  for (const std::string_view symbol : {
           // NCCL
           "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
           "_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL24ncclDevKernelArgsStorageILm4096EE",
           "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)",
           "ncclSymkDevKernel_AllReduce_AGxLL_R_sum_f16(ncclSymkDevWorkArgs4K)",
           "ncclSymDevKernel_AllReduce_RSxLD_AGxST_sum_bf16(ncclSymDevArgs)",
           "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
           // vLLM, SGLang, FlashInfer
           "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, vllm::RankSignals, "
           "vllm::Signal*, __nv_bfloat16*, int, int)",
           "_ZN4vllm26cross_device_reduce_1stageI13__nv_bfloat16Li8EEEvPNS_8RankDataENS_11RankSignalsEPNS_"
           "6SignalEPT_ii",
           "void sglang::cross_device_reduce_2stage<__half, 8>(sglang::RankData*, int)",
           "void vllm::cross_device_all_gather<8>(vllm::RankData*)",
           "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<(flashinfer::"
           "trtllm_allreduce_fusion::AllReduceFusionPattern)1, __nv_bfloat16, 8, false, false>(int)",
           "void flashinfer::trtllm_moe_allreduce_fusion::moereduce_allreduce_fusion_kernel_oneshot_lamport<"
           "__half>(int)",
           // TensorRT-LLM
           "void tensorrt_llm::kernels::oneShotAllReduceKernel<__half, 8, true, false>("
           "tensorrt_llm::kernels::AllReduceParams)",
           "void tensorrt_llm::_v1::kernels::mnnvl::twoshotAllreduceKernel<(unsigned char)8, float>(float*)",
           "_ZN12tensorrt_llm7kernelsL22twoShotAllReduceKernelI6__halfLi8EEEvNS0_15AllReduceParamsE",
           "void tensorrt_llm::kernels::moe_comm::moeA2ACombineKernel<float>(float*)",
           // PyTorch
           "void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<c10::BFloat16, 16, 2>("
           "c10::BFloat16**, unsigned long)",
           "void <unnamed>::one_shot_all_reduce_kernel<float, 16, 8>(float **, float *)",
           "_ZN12_GLOBAL__N_126multimem_all_gather_kernelILi16EEEvPcS1_mPPjmm",
           "void (anonymous namespace)::multimem_one_shot_reduce_kernel<float, 16>(float*)",
           "_multimem_all_gather_kernel",
           "c10d::symmetric_memory::barrier_kernel(unsigned int**, int, int, int, unsigned long)",
           "_ZN4c10d16symmetric_memoryL18wait_signal_kernelEPPjiiiim",
           // NVSHMEM
           "void barrier_on_stream_kernel_threadgroup<(threadgroup_t)2>(int, int)",
           "void rdxn_on_stream_kernel<float, (rdxn_ops)4>(int, float*, float const*, unsigned long)",
           "nvshmemi_signal_wait_until_on_stream_kernel(unsigned long volatile*, int, unsigned long)",
           // DeepEP
           "void deep_ep::internode_ll::dispatch<false, false, 7168>(void*, float*, int*)",
           "void deep_ep::legacy::intranode::combine<__nv_bfloat16, 8, 768, 4096>(__nv_bfloat16*)",
           "_ZN7deep_ep9intranode15notify_dispatchILi8EEEvPKiPi",
           "void deep_ep::elastic::dispatch_impl<true>(void*)",
       }) {
    EXPECT_TRUE(is_collective(symbol)) << symbol;
    EXPECT_EQ(is_of_nccl(symbol), symbol.find("nccl") != std::string_view::npos) << symbol;
  }
}

TEST(CollectiveKernels, AreNotThoseThatOnlyHaveSimilarNames) {
  for (const std::string_view symbol : {
           "",
           "_Z",
           "_ZN",
           "_Z99",
           "_Z99999999999999999999999999barrier",
           "::",
           "void ",
           "void cub::DeviceReduceSingleTileKernel<cub::Policy, float*, float*>(float*)",
           "block_all_reduce_kernel(float*)",
           "void my::all_reduce<float>(float*)",
           "one_shot_all_reduce_kernels_of_a_block",
           "my_one_shot_all_reduce_kernel",
           "all_reduce",
           "_Z10all_reducePf",
           // Of the parameters and template arguments of others.
           "void consume<vllm::cross_device_reduce_1stage>(float*)",
           "consume(ncclDevKernelArgsStorage<4096ul>)",
           "_Z7consume24ncclDevKernelArgsStorageILm4096EE",
           "_ZN2at6native10vectorizedIN4vllm26cross_device_reduce_1stageEEEvPf",
           // Words that many use.
           "dispatch(int*)",
           "void moe::combine<float>(float*)",
           "barrier_kernel(float*, int, float*)",
           "void barrier_kernel<4>(unsigned int*)",
           "_Z7barrierPi",
           "void deep_epsilon::dispatch<1>()",
           // They wait for nobody.
           "void deep_ep::layout::get_dispatch_layout<256>(long const*)",
           "void deep_ep::elastic::combine_reduce_epilogue_impl<8>(void*)",
           "void nvshmemi_init_array_kernel<long>(long*, int, long)",
           "void tensorrt_llm::kernels::lamport_initialize_kernel<float>(float*, unsigned long)",
       })
    EXPECT_FALSE(is_collective(symbol)) << symbol;
}

}  // namespace
}  // namespace rooflinectl::collective_kernels_test
