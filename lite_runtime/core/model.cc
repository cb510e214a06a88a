// Loading: header, checksums, the private copy of the structure. What the structure says is
// checked in model_verify.cc.
#include "sampan/model.h"

#include <cstdio>
#include <cstring>

#include "core/model_impl.h"
#include "model_generated.h"

namespace sampan {
namespace {

// FlatBuffers addresses 2 GB.
constexpr uint64_t kMaxStructure = 0x7FFFFFF0u;

unsigned long long number(uint64_t v) { return static_cast<unsigned long long>(v); }

Status check_header(const void* bytes, size_t size, FileHeader* out) {
  SAMPAN_CHECK(
      size >= sizeof(kFileMagic) && std::memcmp(bytes, kFileMagic, sizeof(kFileMagic)) == 0,
      Code::kBadModel,
      "not a .spn file: it has %zu bytes and does not begin with \"SPN\"; convert the "
      "model with `sampan opt`",
      size);
  SAMPAN_CHECK(size >= sizeof(FileHeader), Code::kBadModel,
               "the file is cut: it has %zu bytes, the header alone has %zu", size,
               sizeof(FileHeader));
  FileHeader h;
  std::memcpy(&h, bytes, sizeof(h));
  SAMPAN_CHECK(h.header_version <= 1, Code::kNewerVersion,
               "the file has header version %u, this runtime reads version 1; use a newer sampan",
               h.header_version);
  SAMPAN_CHECK(h.header_version == 1, Code::kBadModel, "header version 0 does not exist");
  SAMPAN_CHECK(hash64(&h, offsetof(FileHeader, header_checksum)) == h.header_checksum,
               Code::kBadModel, "the header is altered: its checksum does not fit");
  SAMPAN_CHECK(h.structure_size > 0 && h.structure_size <= kMaxStructure, Code::kBadModel,
               "the header names %llu bytes of structure", number(h.structure_size));
  const uint64_t end = sizeof(FileHeader) + h.structure_size;
  SAMPAN_CHECK(h.data_offset == (end + kDataAlignment - 1) / kDataAlignment * kDataAlignment,
               Code::kBadModel, "the data section begins at %llu, not right after the structure",
               number(h.data_offset));
  SAMPAN_CHECK(h.data_offset <= size && h.data_size == size - h.data_offset, Code::kBadModel,
               "the file has %zu bytes, its header accounts for %llu + %llu: it was cut or "
               "extended; copy or convert it again",
               size, number(h.data_offset), number(h.data_size));
  SAMPAN_CHECK(h.reserved == 0, Code::kBadModel, "a reserved field of the header is not 0");
  *out = h;
  return Status();
}

}  // namespace

Status ModelImpl::open(const void* bytes, size_t size, const LoadOptions& options, bool stable) {
  FileHeader header;
  SAMPAN_TRY(check_header(bytes, size, &header));
  const uint8_t* base = static_cast<const uint8_t*>(bytes);
  const size_t structure_size = static_cast<size_t>(header.structure_size);
  SAMPAN_TRY(structure.reserve(structure_size, "model structure"));
  std::memcpy(structure.data(), base + sizeof(FileHeader), structure_size);
  SAMPAN_CHECK(hash64(structure.data(), structure_size) == header.structure_checksum,
               Code::kBadModel, "the structure of the file is altered: its checksum does not fit");
  const uint8_t* data = base + header.data_offset;
  if (options.check == CheckLevel::kFull) {
    SAMPAN_CHECK(hash64(data, static_cast<size_t>(header.data_size)) == header.data_checksum,
                 Code::kBadModel, "the weights are altered: their checksum does not fit");
  }
  flatbuffers::Verifier::Options limits;
  limits.max_depth = 16;
  // A table takes at least 8 bytes; more can only come from sharing, which is no use to anybody.
  limits.max_tables = static_cast<flatbuffers::uoffset_t>(structure_size / 8 + 16);
  flatbuffers::Verifier verifier(static_cast<const uint8_t*>(structure.data()), structure_size,
                                 limits);
  SAMPAN_CHECK(fb::VerifyModelBuffer(verifier), Code::kBadModel,
               "the structure of the file is not a valid FlatBuffer");
  return read_model(*fb::GetModel(structure.data()), header, data, structure_size, options, stable,
                    this);
}

const char* ModelImpl::node_label(size_t index, char* scratch, size_t capacity) const {
  if (nodes[index].name[0] != 0) return nodes[index].name;
  std::snprintf(scratch, capacity, "#%zu", index);
  return scratch;
}

Model::Model(const Model& o) : impl_(o.impl_) {
  if (impl_) impl_->retain();
}
Model& Model::operator=(const Model& o) {
  if (o.impl_) o.impl_->retain();
  if (impl_) impl_->release();
  impl_ = o.impl_;
  return *this;
}
Model& Model::operator=(Model&& o) noexcept {
  if (this != &o) {
    if (impl_) impl_->release();
    impl_ = o.impl_;
    o.impl_ = nullptr;
  }
  return *this;
}
Model::~Model() {
  if (impl_) impl_->release();
}

Result<Model> Model::load(const char* path, const LoadOptions& options) {
  Box<ModelImpl> impl;
  SAMPAN_ASSIGN(impl, make_box<ModelImpl>());
  if (options.mapped) {
    SAMPAN_ASSIGN(impl->mapping, map_file(path, options.max_file_bytes));
    SAMPAN_TRY(impl->open(impl->mapping.data, impl->mapping.size, options, false));
  } else {
    size_t size = 0;
    SAMPAN_TRY(read_file(path, options.max_file_bytes, &impl->file, &size));
    SAMPAN_TRY(impl->open(impl->file.data(), size, options, true));
  }
  return Model(impl.detach());
}

Result<Model> Model::from_memory(const void* data, size_t size, const LoadOptions& options) {
  SAMPAN_CHECK(data != nullptr || size == 0, Code::kInvalidArgument, "no data was given");
  SAMPAN_CHECK(size <= options.max_file_bytes, Code::kLimit,
               "the model has %zu bytes; the limit is %llu", size, number(options.max_file_bytes));
  Box<ModelImpl> impl;
  SAMPAN_ASSIGN(impl, make_box<ModelImpl>());
  if (!options.mapped) {
    SAMPAN_TRY(impl->file.reserve(size, "model"));
    if (size > 0) std::memcpy(impl->file.data(), data, size);
    data = impl->file.data();
  }
  SAMPAN_CHECK(
      reinterpret_cast<uintptr_t>(data) % kDataAlignment == 0, Code::kInvalidArgument,
      "the model's bytes must begin at a multiple of %zu, or be loaded with mapped = false",
      kDataAlignment);
  SAMPAN_TRY(impl->open(data, size, options, !options.mapped));
  return Model(impl.detach());
}

namespace {

ValueInfo value_info(const ModelTensor& t) {
  ValueInfo v;
  v.name = t.name;
  v.dtype = t.dtype;
  v.rank = t.rank;
  for (int i = 0; i < t.rank; ++i) {
    v.dims[i] = t.dims[i];
    v.symbols[i] = t.symbols[i];
  }
  return v;
}

bool within(int i, size_t n) { return i >= 0 && static_cast<size_t>(i) < n; }

}  // namespace

int Model::num_inputs() const { return impl_ ? static_cast<int>(impl_->inputs.size()) : 0; }
int Model::num_outputs() const { return impl_ ? static_cast<int>(impl_->outputs.size()) : 0; }

ValueInfo Model::input(int i) const {
  if (!impl_ || !within(i, impl_->inputs.size())) return ValueInfo();
  return value_info(impl_->tensors[static_cast<size_t>(impl_->inputs[static_cast<size_t>(i)])]);
}
ValueInfo Model::output(int i) const {
  if (!impl_ || !within(i, impl_->outputs.size())) return ValueInfo();
  return value_info(impl_->tensors[static_cast<size_t>(impl_->outputs[static_cast<size_t>(i)])]);
}

int Model::num_metadata() const { return impl_ ? static_cast<int>(impl_->metadata.size()) : 0; }
const char* Model::metadata_key(int i) const {
  return impl_ && within(i, impl_->metadata.size()) ? impl_->metadata[static_cast<size_t>(i)].key
                                                    : "";
}
const char* Model::metadata_value(int i) const {
  return impl_ && within(i, impl_->metadata.size()) ? impl_->metadata[static_cast<size_t>(i)].value
                                                    : "";
}

}  // namespace sampan
