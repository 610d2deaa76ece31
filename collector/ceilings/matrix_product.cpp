// SPDX-License-Identifier: Apache-2.0
#include <cublasLt.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "collector/ceilings/ceilings.h"
#include "collector/device/libraries.h"
#include "core/error.h"
#include "core/machine/loaded_library.h"

namespace rooflinectl {

namespace {

using kernels::MatrixType;

constexpr int kMostAlgorithms = 4;
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

/// The functions of the library that are used, by their own names.
struct Functions {
  decltype(&::cublasLtCreate) create;
  decltype(&::cublasLtDestroy) destroy;
  decltype(&::cublasLtGetVersion) get_version;
  decltype(&::cublasLtMatmul) matmul;
  decltype(&::cublasLtMatmulDescCreate) desc_create;
  decltype(&::cublasLtMatmulDescDestroy) desc_destroy;
  decltype(&::cublasLtMatmulDescSetAttribute) desc_set;
  decltype(&::cublasLtMatrixLayoutCreate) layout_create;
  decltype(&::cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&::cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&::cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&::cublasLtMatmulPreferenceSetAttribute) preference_set;
  decltype(&::cublasLtMatmulAlgoGetHeuristic) heuristic;
};

bool find_all(void* library, Functions& f) {
  return find_function(library, "cublasLtCreate", f.create) &&
         find_function(library, "cublasLtDestroy", f.destroy) &&
         find_function(library, "cublasLtGetVersion", f.get_version) &&
         find_function(library, "cublasLtMatmul", f.matmul) &&
         find_function(library, "cublasLtMatmulDescCreate", f.desc_create) &&
         find_function(library, "cublasLtMatmulDescDestroy", f.desc_destroy) &&
         find_function(library, "cublasLtMatmulDescSetAttribute", f.desc_set) &&
         find_function(library, "cublasLtMatrixLayoutCreate", f.layout_create) &&
         find_function(library, "cublasLtMatrixLayoutDestroy", f.layout_destroy) &&
         find_function(library, "cublasLtMatmulPreferenceCreate", f.preference_create) &&
         find_function(library, "cublasLtMatmulPreferenceDestroy", f.preference_destroy) &&
         find_function(library, "cublasLtMatmulPreferenceSetAttribute", f.preference_set) &&
         find_function(library, "cublasLtMatmulAlgoGetHeuristic", f.heuristic);
}

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(ErrorKind::measurement, fmt::format("{} returned {}", call, static_cast<int>(status)));
}

/// The types of a product.
struct Types {
  cudaDataType_t input;
  cudaDataType_t output;
  cublasComputeType_t compute;
  cudaDataType_t scale;
  std::size_t input_bytes;

  /// The size of an element of the result: at most four bytes, except in f64.
  std::size_t output_bytes() const { return std::max(input_bytes, sizeof(float)); }
};

Types types_of(MatrixType type) {
  switch (type) {
    case MatrixType::f64:
      return {CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F, 8};
    case MatrixType::f16:
      return {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F, 2};
    case MatrixType::f16_sums_in_f16:
      return {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, CUDA_R_16F, 2};
    case MatrixType::bf16:
      return {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, 2};
    case MatrixType::tf32:
      return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, 4};
    case MatrixType::f8:
      return {CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F, CUDA_R_32F, 1};
    case MatrixType::i8:
      return {CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I, 1};
  }
  throw Error(ErrorKind::measurement, "unknown matrix type");
}

/// The library's description of one product, whatever the algorithm: shared by the products of a size.
struct Description {
  explicit Description(const Functions& f) : functions(f) {}
  ~Description() {
    if (c != nullptr) functions.layout_destroy(c);
    if (b != nullptr) functions.layout_destroy(b);
    if (a != nullptr) functions.layout_destroy(a);
    if (operation != nullptr) functions.desc_destroy(operation);
  }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  const Functions& functions;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr;
  cublasLtMatrixLayout_t b = nullptr;
  cublasLtMatrixLayout_t c = nullptr;
};

class Product : public MatrixProduct {
 public:
  Product(cublasLtHandle_t handle, std::shared_ptr<Description> description, cublasLtMatmulAlgo_t algorithm,
          MatrixType type, int size, const kernels::CeilingBuffers& buffers)
      : handle_(handle),
        description_(std::move(description)),
        algorithm_(algorithm),
        type_(type),
        size_(size),
        d_a_(static_cast<const char*>(buffers.d_source)),
        d_c_(static_cast<char*>(buffers.d_target)) {}

  void enqueue(cudaStream_t stream) const override {
    const Scale one = scale(1);
    const Scale zero = scale(0);
    const std::size_t matrix_bytes = square() * types_of(type_).input_bytes;
    char* const d_workspace = d_c_ + square() * types_of(type_).output_bytes();
    check(description_->functions.matmul(handle_, description_->operation, &one, d_a_, description_->a,
                                         d_a_ + matrix_bytes, description_->b, &zero, d_c_, description_->c,
                                         d_c_, description_->c, &algorithm_, d_workspace, kWorkspaceBytes,
                                         stream),
          "cublasLtMatmul");
  }

  double operations() const override { return 2.0 * size_ * size_ * size_; }
  std::string description() const override { return fmt::format("{0} x {0} x {0}", size_); }

 private:
  static constexpr std::uint16_t kOneInF16 = 0x3C00;

  /// A factor of the product, 0 or 1, in the type that it is scaled in.
  union Scale {
    std::uint16_t f16;
    float f32;
    double f64;
    int i32;
  };

  Scale scale(int value) const {
    Scale result{};
    switch (types_of(type_).scale) {
      case CUDA_R_64F:
        result.f64 = value;
        break;
      case CUDA_R_32I:
        result.i32 = value;
        break;
      case CUDA_R_16F:
        result.f16 = value == 0 ? 0 : kOneInF16;
        break;
      default:
        result.f32 = static_cast<float>(value);
    }
    return result;
  }

  std::size_t square() const { return static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_); }

  cublasLtHandle_t handle_;
  std::shared_ptr<Description> description_;
  cublasLtMatmulAlgo_t algorithm_;
  MatrixType type_;
  int size_;
  const char* d_a_;
  char* d_c_;
};

class Library : public MatrixLibrary {
 public:
  explicit Library(const Functions& functions) : functions_(functions) {
    check(functions_.create(&handle_), "cublasLtCreate");
  }
  ~Library() override { functions_.destroy(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  std::string description() const override {
    const std::size_t version = functions_.get_version();
    return fmt::format("cuBLASLt {}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
  }

  std::vector<std::unique_ptr<MatrixProduct>> products(
      MatrixType type, int size, const kernels::CeilingBuffers& buffers) const override {
    const std::size_t square = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
    const bool fits = 2 * square * types_of(type).input_bytes <= buffers.bytes &&
                      square * types_of(type).output_bytes() + kWorkspaceBytes <= buffers.bytes;
    if (!fits) return {};
    const std::shared_ptr<Description> description = describe(type, size);
    std::vector<std::unique_ptr<MatrixProduct>> products;
    for (const cublasLtMatmulHeuristicResult_t& result : algorithms(*description)) {
      if (result.state != CUBLAS_STATUS_SUCCESS) continue;
      products.push_back(std::make_unique<Product>(handle_, description, result.algo, type, size, buffers));
    }
    return products;
  }

 private:
  std::shared_ptr<Description> describe(MatrixType type, int size) const {
    const Types types = types_of(type);
    const auto n = static_cast<std::uint64_t>(size);
    auto description = std::make_shared<Description>(functions_);
    check(functions_.desc_create(&description->operation, types.compute, types.scale),
          "cublasLtMatmulDescCreate");
    // 8-bit types exist with a transposed first matrix only.
    const cublasOperation_t transposed = CUBLAS_OP_T;
    check(functions_.desc_set(description->operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                              sizeof(transposed)),
          "cublasLtMatmulDescSetAttribute");
    for (cublasLtMatrixLayout_t* layout : {&description->a, &description->b}) {
      check(functions_.layout_create(layout, types.input, n, n, size), "cublasLtMatrixLayoutCreate");
    }
    check(functions_.layout_create(&description->c, types.output, n, n, size), "cublasLtMatrixLayoutCreate");
    return description;
  }

  /// Empty where the library has no algorithm.
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms(const Description& description) const {
    cublasLtMatmulPreference_t preference = nullptr;
    check(functions_.preference_create(&preference), "cublasLtMatmulPreferenceCreate");
    std::size_t workspace = kWorkspaceBytes;
    functions_.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                              sizeof(workspace));
    std::array<cublasLtMatmulHeuristicResult_t, kMostAlgorithms> results{};
    int found = 0;
    const cublasStatus_t status =
        functions_.heuristic(handle_, description.operation, description.a, description.b, description.c,
                             description.c, preference, kMostAlgorithms, results.data(), &found);
    functions_.preference_destroy(preference);
    if (status != CUBLAS_STATUS_SUCCESS) return {};
    return {results.begin(), results.begin() + found};
  }

  Functions functions_;
  cublasLtHandle_t handle_ = nullptr;
};

}  // namespace

std::unique_ptr<MatrixLibrary> load_matrix_library() {
  void* library = open_toolkit_library("libcublasLt.so.13");
  Functions functions{};
  if (library == nullptr || !find_all(library, functions)) return nullptr;
  try {
    return std::make_unique<Library>(functions);
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace rooflinectl
