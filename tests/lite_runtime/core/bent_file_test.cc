// Files that are cut, altered or wrong: an error that says what is wrong, or a valid run; never a
// crash. Checksums are made good again where the point is to get past them.
#include <cstdio>
#include <functional>

#include "test_models.h"
#include "test_operators.h"

namespace sampan::test {
namespace {

ModelBuilder make_model() {
  ModelBuilder b;
  const int x = b.input("x", {"n", "4"});
  const int y = b.node("Add", {x, b.floats("c", {4}, {1, 2, 3, 4})}, "y");
  const int shape = b.ints("shape", {-1, 2});
  b.output(b.node("Reshape", {b.node("TestScale", {y}, "w"), shape}, "z"));
  b.spec.metadata.push_back({"key", "value"});
  b.spec.provenance.tool_version = "test";
  return b;
}

// As 64-byte aligned memory.
class Aligned {
 public:
  explicit Aligned(const std::vector<uint8_t>& bytes) : size(bytes.size()) {
    CHECK(buffer_.reserve(size + 1, "test").ok());
    if (size > 0) std::memcpy(buffer_.data(), bytes.data(), size);
  }
  const void* data() const { return buffer_.data(); }
  size_t size;

 private:
  Buffer buffer_;
};

Status try_file(const std::vector<uint8_t>& bytes, CheckLevel level = CheckLevel::kStructure) {
  LoadOptions load;
  load.check = level;
  const Aligned memory(bytes);
  Model model;
  SAMPAN_ASSIGN(model, Model::from_memory(memory.data(), memory.size, load));
  SessionOptions options;
  options.max_memory = 16 << 20;
  options.max_work = 10000000;
  Session s;
  SAMPAN_ASSIGN(s, Session::create(model, options));
  std::vector<std::vector<double>> data;
  for (int i = 0; i < model.num_inputs(); ++i) {
    const ValueInfo info = model.input(i);
    Tensor t;
    t.dtype = info.dtype;
    t.shape.rank = info.rank;
    for (int k = 0; k < info.rank; ++k) t.shape[k] = info.dims[k] < 0 ? 3 : info.dims[k];
    for (int k = 0; k < info.rank; ++k)
      SAMPAN_CHECK(t.shape[k] <= 64, Code::kLimit, "too large for this test");
    SAMPAN_CHECK(info.rank <= 3, Code::kLimit, "too large for this test");
    data.emplace_back(t.bytes() / 8 + 1);
    t.data = data.back().data();
    SAMPAN_TRY(s.set_input(i, t));
  }
  return s.run();
}

FileHeader header_of(const std::vector<uint8_t>& bytes) {
  FileHeader h;
  std::memcpy(&h, bytes.data(), sizeof(h));
  return h;
}

// Makes all three checksums fit again.
void mend(std::vector<uint8_t>* bytes) {
  FileHeader h = header_of(*bytes);
  h.structure_checksum = hash64(bytes->data() + 64, h.structure_size);
  h.data_checksum = hash64(bytes->data() + h.data_offset, h.data_size);
  h.header_checksum = hash64(&h, offsetof(FileHeader, header_checksum));
  std::memcpy(bytes->data(), &h, sizeof(h));
}

void test_cuts() {
  const std::vector<uint8_t> good = make_model().bytes();
  CHECK(try_file(good, CheckLevel::kFull).ok());
  for (size_t n = 0; n < good.size(); ++n) {
    const Status s =
        try_file(std::vector<uint8_t>(good.begin(), good.begin() + static_cast<long>(n)));
    CHECK(s.code() == Code::kBadModel, "%zu bytes: %s", n, s.message());
  }
  std::vector<uint8_t> longer = good;
  longer.push_back(0);
  CHECK(try_file(longer).code() == Code::kBadModel);
}

void test_flips() {
  const std::vector<uint8_t> good = make_model().bytes();
  const FileHeader h = header_of(good);
  int refused = 0, ran = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    for (uint8_t flip : {0x01, 0x80, 0xFF}) {
      std::vector<uint8_t> bent = good;
      bent[i] ^= flip;
      const bool in_gap = i >= 64 + h.structure_size && i < h.data_offset;
      const Status full = try_file(bent, CheckLevel::kFull);
      CHECK(full.ok() == in_gap, "byte %zu: %s", i, full.message());
      // Past the checksums: whatever comes, no crash.
      if (i >= 64) mend(&bent);
      const Status s = try_file(bent);
      (s.ok() ? ran : refused) += 1;
      CHECK(s.code() != Code::kInternal && s.code() != Code::kNeedsValues, "byte %zu: %s", i,
            s.message());
    }
  }
  CHECK(refused > 100 && ran > 100, "%d refused, %d ran", refused, ran);
}

void test_header() {
  const std::vector<uint8_t> good = make_model().bytes();
  const auto with = [&](const std::function<void(FileHeader*)>& change) {
    std::vector<uint8_t> bytes = good;
    FileHeader h = header_of(bytes);
    change(&h);
    h.header_checksum = hash64(&h, offsetof(FileHeader, header_checksum));
    std::memcpy(bytes.data(), &h, sizeof(h));
    return try_file(bytes).code();
  };
  CHECK(with([](FileHeader* h) { h->header_version = 2; }) == Code::kNewerVersion);
  CHECK(with([](FileHeader* h) { h->header_version = 0; }) == Code::kBadModel);
  for (uint64_t v :
       {uint64_t{0}, uint64_t{1}, uint64_t{63}, UINT64_MAX, UINT64_MAX - 63, uint64_t{1} << 62}) {
    CHECK(with([v](FileHeader* h) { h->structure_size = v; }) == Code::kBadModel);
    CHECK(with([v](FileHeader* h) { h->data_offset = v; }) == Code::kBadModel);
    CHECK(with([v](FileHeader* h) { h->data_size = v; }) == Code::kBadModel);
    CHECK(with([v](FileHeader* h) { h->reserved = v; }) == (v ? Code::kBadModel : Code::kOk));
  }
}

// One wrong thing each, with a word of the message that must name it.
struct Bend {
  Code code;
  const char* word;
  std::function<void(ModelBuilder*)> change;
};

void test_bends() {
  static float few[1] = {0};
  static uint8_t bools[4] = {0, 1, 2, 0};
  enum { kX, kC, kY, kShape, kW, kZ };  // tensors; nodes: 0 Add, 1 TestScale, 2 Reshape
  const auto tensor = [](ModelBuilder* b, int i) -> TensorSpec& {
    return b->graph().tensors[static_cast<size_t>(i)];
  };
  const auto node = [](ModelBuilder* b, int i) -> NodeSpec& {
    return b->graph().nodes[static_cast<size_t>(i)];
  };
  const Bend bends[] = {
      {Code::kNewerVersion, "version 99", [](ModelBuilder* b) { b->spec.minimum_runtime = 99; }},
      {Code::kBadModel, "no graph", [](ModelBuilder* b) { b->spec.graphs.clear(); }},
      {Code::kUnsupported, "2 graphs", [](ModelBuilder* b) { b->spec.graphs.emplace_back(); }},
      {Code::kUnsupported, "NoSuch", [&](ModelBuilder* b) { node(b, 0).op = "NoSuch"; }},
      {Code::kUnsupported, "version 77", [&](ModelBuilder* b) { node(b, 0).version = 77; }},
      {Code::kBadModel, "no output", [](ModelBuilder* b) { b->graph().outputs.clear(); }},
      {Code::kBadModel, "does not exist", [](ModelBuilder* b) { b->graph().outputs = {-1}; }},
      {Code::kBadModel, "does not exist", [](ModelBuilder* b) { b->graph().outputs = {6}; }},
      {Code::kBadModel, "the name \"z\"",
       [](ModelBuilder* b) {
         b->graph().outputs = {5, 5};
       }},
      {Code::kBadModel, "kind of an input", [](ModelBuilder* b) { b->graph().inputs = {1}; }},
      {Code::kBadModel, "lists 0", [](ModelBuilder* b) { b->graph().inputs.clear(); }},
      {Code::kBadModel, "has no name", [&](ModelBuilder* b) { tensor(b, kX).name = ""; }},
      {Code::kBadModel, "zero byte",
       [&](ModelBuilder* b) { tensor(b, kX).name = std::string("a\0b", 3); }},
      {Code::kBadModel, "bytes; at most",
       [&](ModelBuilder* b) { tensor(b, kX).name = std::string(5000, 'x'); }},
      {Code::kBadModel, "element type",
       [&](ModelBuilder* b) { tensor(b, kX).dtype = static_cast<DType>(14); }},
      {Code::kBadModel, "element type",
       [&](ModelBuilder* b) { tensor(b, kX).dtype = DType::kInvalid; }},
      {Code::kBadModel, "unknown kind",
       [&](ModelBuilder* b) { tensor(b, kX).kind = static_cast<TensorKind>(9); }},
      {Code::kUnsupported, "state",
       [&](ModelBuilder* b) { tensor(b, kY).kind = TensorKind::kState; }},
      {Code::kBadModel, "without a shape",
       [&](ModelBuilder* b) { tensor(b, kX).has_rank = false; }},
      {Code::kBadModel, "rank 9", [&](ModelBuilder* b) { tensor(b, kX).dims.assign(9, 1); }},
      {Code::kBadModel, "symbols", [&](ModelBuilder* b) { tensor(b, kX).symbols.push_back("k"); }},
      {Code::kBadModel, "no name for a symbol",
       [&](ModelBuilder* b) { tensor(b, kX).symbols[0] = "2n"; }},
      {Code::kBadModel, "both the symbol", [&](ModelBuilder* b) { tensor(b, kX).dims[0] = 3; }},
      {Code::kBadModel, "dimension 1 is -7", [&](ModelBuilder* b) { tensor(b, kX).dims[1] = -7; }},
      {Code::kBadModel, "not a number", [&](ModelBuilder* b) { tensor(b, kC).dims[0] = -1; }},
      {Code::kBadModel, "its shape and type need 20",
       [&](ModelBuilder* b) { tensor(b, kC).dims[0] = 5; }},
      {Code::kLimit, "bytes",
       [&](ModelBuilder* b) {
         tensor(b, kC).dims = {1 << 30, 1 << 30, 1 << 30};
       }},
      {Code::kBadModel, "need 16",
       [&](ModelBuilder* b) {
         tensor(b, kC).data = few;
         tensor(b, kC).size = 4;
       }},
      {Code::kBadModel, "element 2 is 2",
       [&](ModelBuilder* b) {
         tensor(b, kC).dtype = DType::kBool;
         tensor(b, kC).data = bools;
         tensor(b, kC).size = 4;
       }},
      {Code::kUnsupported, "unknown way",
       [&](ModelBuilder* b) { tensor(b, kC).packing = static_cast<Packing>(7); }},
      {Code::kBadModel, "not a constant",
       [&](ModelBuilder* b) { tensor(b, kY).packing = Packing::kPanelsF32; }},
      {Code::kBadModel, "is packed",
       [&](ModelBuilder* b) {
         TensorSpec& t = tensor(b, kC);
         static float panel[16];
         t.packing = Packing::kPanelsF32;
         t.pack_groups = t.pack_k = 1;
         t.pack_n = 4;
         t.data = panel;
         t.size = 64;
       }},
      {Code::kBadModel, "too large",
       [&](ModelBuilder* b) {
         TensorSpec& t = tensor(b, kC);
         t.packing = Packing::kPanelsF32;
         t.pack_groups = t.pack_k = t.pack_n = uint64_t{1} << 45;
       }},
      {Code::kBadModel, "packed constant",
       [&](ModelBuilder* b) {
         TensorSpec& t = tensor(b, kC);
         static float panel[16];
         t.packing = Packing::kPanelsF32;
         t.pack_groups = t.pack_k = 1;
         t.pack_n = 4;
         t.data = panel;
         t.size = 64;
         b->graph().outputs = {kC};
       }},
      {Code::kBadModel, "scale 0",
       [&](ModelBuilder* b) { tensor(b, kX).quantization.scale = {-1.0f}; }},
      {Code::kBadModel, "quantization axis",
       [&](ModelBuilder* b) {
         tensor(b, kX).quantization.scale = {1, 1};
       }},
      {Code::kBadModel, "along an axis",
       [&](ModelBuilder* b) {
         tensor(b, kC).quantization.scale = {1, 1};
         tensor(b, kC).quantization.axis = 0;
       }},
      {Code::kBadModel, "input 0 is tensor 6", [&](ModelBuilder* b) { node(b, 0).inputs[0] = 6; }},
      {Code::kBadModel, "input 0 is tensor -2",
       [&](ModelBuilder* b) { node(b, 0).inputs[0] = -2; }},
      {Code::kBadModel, "not computed by any node before",
       [&](ModelBuilder* b) { node(b, 0).inputs[0] = kW; }},
      {Code::kBadModel, "not computed by any node before",
       [&](ModelBuilder* b) { node(b, 0).inputs[0] = kY; }},
      {Code::kBadModel, "is missing", [&](ModelBuilder* b) { node(b, 0).inputs[1] = -1; }},
      {Code::kBadModel, "is missing", [&](ModelBuilder* b) { node(b, 0).inputs.pop_back(); }},
      {Code::kBadModel, "has 3 inputs", [&](ModelBuilder* b) { node(b, 0).inputs.push_back(kC); }},
      {Code::kBadModel, "already written", [&](ModelBuilder* b) { node(b, 1).outputs[0] = kY; }},
      {Code::kBadModel, "nothing may write it",
       [&](ModelBuilder* b) { node(b, 0).outputs[0] = kC; }},
      {Code::kBadModel, "nothing may write it",
       [&](ModelBuilder* b) { node(b, 0).outputs[0] = kX; }},
      {Code::kBadModel, "no output", [&](ModelBuilder* b) { node(b, 2).outputs.clear(); }},
      {Code::kBadModel, "2 outputs",
       [&](ModelBuilder* b) {
         b->graph().tensors.push_back(tensor(b, kW));
         node(b, 1).outputs.push_back(6);
       }},
      {Code::kBadModel, "not computed by any node",
       [&](ModelBuilder* b) { b->graph().nodes.pop_back(); }},
      {Code::kBadModel, "attributes", [&](ModelBuilder* b) { node(b, 1).attrs.pop_back(); }},
      {Code::kBadModel, "attributes", [&](ModelBuilder* b) { node(b, 0).attrs.emplace_back(); }},
      {Code::kBadModel, "\"fail\" is 2; it must be from 0 to 1",
       [&](ModelBuilder* b) { node(b, 1).attrs[1].i = 2; }},
      {Code::kBadModel, "has type int64; allowed: float32",
       [&](ModelBuilder* b) { node(b, 1).inputs[0] = kShape; }},
      {Code::kBadModel, "must agree", [&](ModelBuilder* b) { node(b, 0).inputs[1] = kShape; }},
      {Code::kBadModel, "the file says int8",
       [&](ModelBuilder* b) { tensor(b, kY).dtype = DType::kInt8; }},
      {Code::kBadModel, "signature",
       [](ModelBuilder* b) {
         b->spec.signatures.push_back({"infer", 3, {}, {}});
       }},
  };
  int i = 0;
  for (const Bend& bend : bends) {
    ModelBuilder b = make_model();
    bend.change(&b);
    const Status s = try_file(b.bytes());
    CHECK(s.code() == bend.code && std::strstr(s.message(), bend.word), "bend %d: %s: %s (\"%s\")",
          i, code_name(s.code()), s.message(), bend.word);
    ++i;
  }
}

void test_all_missing_operators_are_named() {
  ModelBuilder b = make_model();
  b.graph().nodes[0].op = "First";
  b.graph().nodes[1].op = "Second";
  const Status s = try_file(b.bytes());
  CHECK(s.code() == Code::kUnsupported && std::strstr(s.message(), "\"First\", \"Second\""), "%s",
        s.message());
}

void test_limits_and_files() {
  const std::vector<uint8_t> good = make_model().bytes();
  LoadOptions o;
  o.mapped = false;
  o.max_nodes = 2;
  CHECK(Model::from_memory(good.data(), good.size(), o).status().code() == Code::kLimit);
  o = LoadOptions();
  o.mapped = false;
  o.max_tensors = 2;
  CHECK(Model::from_memory(good.data(), good.size(), o).status().code() == Code::kLimit);
  o.max_file_bytes = 100;
  CHECK(Model::from_memory(good.data(), good.size(), o).status().code() == Code::kLimit);
  CHECK(Model::from_memory(nullptr, 5).status().code() == Code::kInvalidArgument);
  const Aligned memory(good);
  CHECK(Model::from_memory(static_cast<const char*>(memory.data()) + 8, 64).status().code() ==
        Code::kInvalidArgument);
  CHECK(Model::load("/nonexistent/model.spn").status().code() == Code::kIo);
  CHECK(Model::load("/").status().code() == Code::kIo, "a folder");
  CHECK(Model::load("/dev/zero").status().code() == Code::kIo, "a device");
  CHECK(Model::load("").status().code() == Code::kInvalidArgument);

  char path[] = "/tmp/sampan_bent_XXXXXX";
  const int fd = mkstemp(path);
  CHECK(fd >= 0);
  close(fd);
  CHECK(Model::load(path).status().code() == Code::kBadModel, "an empty file");
  CHECK(write_model_file(make_model().spec, path).ok());
  for (bool mapped : {true, false}) {
    LoadOptions options;
    options.mapped = mapped;
    options.check = CheckLevel::kFull;
    Result<Model> m = Model::load(path, options);
    CHECK(m.ok() && m.value().num_inputs() == 1 && m.value().num_metadata() == 1, "%s",
          m.status().message());
    CHECK(std::string(m.value().input(0).symbols[0]) == "n" && m.value().input(0).dims[0] == -1);
    CHECK(std::string(m.value().metadata_value(0)) == "value");
    CHECK(m.value().input(1).dtype == DType::kInvalid && m.value().metadata_key(9)[0] == 0);
  }
  std::remove(path);
}

void test_writer_is_deterministic() {
  const std::vector<uint8_t> a = make_model().bytes(), b = make_model().bytes();
  CHECK(a == b);
  ModelBuilder twice = make_model();
  twice.floats("c_again", {4}, {1, 2, 3, 4});
  const FileHeader one = header_of(a), two = header_of(twice.bytes());
  CHECK(two.data_size == one.data_size && two.structure_size > one.structure_size,
        "equal constants are stored once");
}

}  // namespace
}  // namespace sampan::test

int main() {
  using namespace sampan::test;
  add_test_operators();
  test_cuts();
  test_flips();
  test_header();
  test_bends();
  test_all_missing_operators_are_named();
  test_limits_and_files();
  test_writer_is_deterministic();
  return finish("bent_file");
}
