// sampan_run: runs a .spn model on this machine, times it, and prints where the time goes.
//
//   sampan_run model.spn [--threads N] [--isa NAME] [--runs N] [--warmup N] [--profile]
//              [--input NAME=FILE] [--shape NAME=1,3,224,224] [--dump PREFIX] [--check]
//
// Inputs without a file are filled with numbers in [0, 1) from a fixed generator; free dimensions
// without a shape get 1. Files hold raw elements, row-major.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "core/platform.h"
#include "sampan/session.h"

namespace sampan {
namespace {

struct Arguments {
  std::string model;
  SessionOptions session;
  LoadOptions load;
  std::string isa;
  int runs = 10, warmup = 2;
  std::map<std::string, std::string> files, shapes;
  std::string dump;
};

int usage(const char* why) {
  std::fprintf(stderr,
               "sampan_run: %s\n"
               "usage: sampan_run model.spn [--threads N] [--isa NAME] [--runs N] [--warmup N]\n"
               "       [--profile] [--check] [--input NAME=FILE] [--shape NAME=1,3,224,224]\n"
               "       [--dump PREFIX]\n",
               why);
  return 2;
}

bool split(const std::string& s, std::map<std::string, std::string>* out) {
  const size_t at = s.find('=');
  if (at == std::string::npos) return false;
  (*out)[s.substr(0, at)] = s.substr(at + 1);
  return true;
}

// 0 when all is well, else the exit code.
int parse(int argc, char** argv, Arguments* a) {
  for (int i = 1; i < argc; ++i) {
    const std::string s = argv[i];
    const bool has_value = i + 1 < argc;
    const auto value = [&] { return std::string(argv[++i]); };
    if (s == "--profile") {
      a->session.profile = true;
    } else if (s == "--check") {
      a->load.check = CheckLevel::kFull;
    } else if (s.rfind("--", 0) == 0 && !has_value) {
      return usage((s + " needs a value").c_str());
    } else if (s == "--threads") {
      a->session.threads = std::atoi(value().c_str());
    } else if (s == "--runs") {
      a->runs = std::max(1, std::atoi(value().c_str()));
    } else if (s == "--warmup") {
      a->warmup = std::max(0, std::atoi(value().c_str()));
    } else if (s == "--isa") {
      a->isa = value();
    } else if (s == "--dump") {
      a->dump = value();
    } else if (s == "--input" || s == "--shape") {
      if (!split(value(), s == "--input" ? &a->files : &a->shapes))
        return usage((s + " takes NAME=...").c_str());
    } else if (s.rfind("--", 0) == 0) {
      return usage(("unknown option " + s).c_str());
    } else if (a->model.empty()) {
      a->model = s;
    } else {
      return usage("more than one model");
    }
  }
  return a->model.empty() ? usage("no model was given") : 0;
}

Status choose_shape(const ValueInfo& info, const Arguments& a, Shape* out) {
  out->rank = info.rank;
  for (int i = 0; i < info.rank; ++i) out->dims[i] = info.dims[i] < 0 ? 1 : info.dims[i];
  const auto given = a.shapes.find(info.name);
  if (given == a.shapes.end()) return Status();
  const char* p = given->second.c_str();
  int rank = 0;
  while (*p && rank < kMaxRank) {
    char* end = nullptr;
    out->dims[rank++] = std::strtoll(p, &end, 10);
    if (end == p) break;
    p = *end == ',' ? end + 1 : end;
  }
  SAMPAN_CHECK(*p == 0, Code::kInvalidArgument, "--shape %s=%s is not a list of numbers", info.name,
               given->second.c_str());
  out->rank = rank;
  return Status();
}

// Numbers in [0, 1) for floats, 0 or 1 for the rest: small enough for any index.
void fill(Tensor* t) {
  uint64_t state = 1;
  const int64_t n = t->shape.elements();
  for (int64_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const uint32_t bits = static_cast<uint32_t>(state >> 40);
    switch (t->dtype) {
      case DType::kFloat32:
        t->as<float>()[i] = static_cast<float>(bits) * 0x1p-24f;
        break;
      case DType::kFloat64:
        t->as<double>()[i] = bits * 0x1p-24;
        break;
      case DType::kInt64:
        t->as<int64_t>()[i] = bits >> 23;
        break;
      case DType::kInt32:
        t->as<int32_t>()[i] = static_cast<int32_t>(bits >> 23);
        break;
      case DType::kBool:
      case DType::kInt8:
      case DType::kUInt8:
        t->as<uint8_t>()[i] = static_cast<uint8_t>(bits >> 23);
        break;
      default:
        break;  // zeros
    }
  }
}

Status read_elements(const std::string& path, Tensor* t) {
  Buffer file;
  size_t size = 0;
  SAMPAN_TRY(read_file(path.c_str(), uint64_t{1} << 40, &file, &size));
  SAMPAN_CHECK(size == t->bytes(), Code::kInvalidArgument, "%s has %zu bytes; the input needs %zu",
               path.c_str(), size, t->bytes());
  if (size > 0) std::memcpy(t->data, file.data(), size);
  return Status();
}

std::string shape_text(const Shape& s) {
  std::string text = "[";
  for (int i = 0; i < s.rank; ++i) text += (i ? ", " : "") + std::to_string(s.dims[i]);
  return text + "]";
}

Status set_inputs(const Arguments& a, Session* session, std::vector<Buffer>* memory) {
  const Model& model = session->model();
  for (int i = 0; i < model.num_inputs(); ++i) {
    const ValueInfo info = model.input(i);
    Tensor t;
    t.dtype = info.dtype;
    SAMPAN_TRY(choose_shape(info, a, &t.shape));
    SAMPAN_TRY(check_shape(t.shape, t.dtype, info.name));
    memory->emplace_back();
    SAMPAN_TRY(memory->back().reserve(t.bytes(), info.name));
    t.data = memory->back().data();
    std::memset(t.data, 0, t.bytes());
    const auto file = a.files.find(info.name);
    if (file != a.files.end())
      SAMPAN_TRY(read_elements(file->second, &t));
    else
      fill(&t);
    SAMPAN_TRY(session->set_input(i, t));
    std::printf("input  %-24s %s %s\n", info.name, dtype_name(t.dtype),
                shape_text(t.shape).c_str());
  }
  return Status();
}

void print_profile(const Session& s, int runs, const std::map<std::string, int64_t>& by_kernel) {
  int64_t total = 0;
  for (const auto& k : by_kernel) total += k.second;
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& k : by_kernel) order.emplace_back(k.second, k.first);
  std::sort(order.rbegin(), order.rend());
  std::printf("\n%10s %7s  operator, kernel\n", "ms", "share");
  for (const auto& k : order)
    std::printf(
        "%10.3f %6.1f%%  %s\n", static_cast<double>(k.first) * 1e-6 / runs,
        100.0 * static_cast<double>(k.first) / static_cast<double>(std::max<int64_t>(total, 1)),
        k.second.c_str());
  std::printf("%d nodes ran\n", s.num_profile_entries());
}

Status time_runs(const Arguments& a, Session* session) {
  std::vector<double> ms;
  std::map<std::string, int64_t> by_kernel;
  for (int i = 0; i < a.runs; ++i) {
    const int64_t start = now_ns();
    SAMPAN_TRY(session->run());
    ms.push_back(static_cast<double>(now_ns() - start) * 1e-6);
    for (int k = 0; k < session->num_profile_entries(); ++k) {
      const ProfileEntry e = session->profile_entry(k);
      by_kernel[std::string(e.op) + "  " + e.kernel] += e.duration_ns;
    }
  }
  std::sort(ms.begin(), ms.end());
  std::printf("%d runs: median %.3f ms, p90 %.3f, min %.3f, max %.3f\n", a.runs, ms[ms.size() / 2],
              ms[ms.size() * 9 / 10], ms.front(), ms.back());
  const MemoryReport m = session->memory();
  std::printf(
      "arena %.2f MB (lower bound %.2f, without reuse %.2f), packed weights %.2f MB, %lld plans\n",
      static_cast<double>(m.arena_bytes) * 1e-6, static_cast<double>(m.lower_bound_bytes) * 1e-6,
      static_cast<double>(m.without_reuse_bytes) * 1e-6,
      static_cast<double>(m.packed_weight_bytes) * 1e-6, static_cast<long long>(m.plans));
  if (a.session.profile) print_profile(*session, a.runs, by_kernel);
  return Status();
}

Status print_outputs(const Arguments& a, const Session& session) {
  for (int i = 0; i < session.model().num_outputs(); ++i) {
    const char* name = session.model().output(i).name;
    Tensor t;
    SAMPAN_ASSIGN(t, session.output(i));
    std::printf("output %-24s %s %s\n", name, dtype_name(t.dtype), shape_text(t.shape).c_str());
    if (a.dump.empty()) continue;
    const std::string path = a.dump + std::to_string(i) + ".bin";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    const bool ok = file && std::fwrite(t.data, 1, t.bytes(), file) == t.bytes();
    if (file) std::fclose(file);
    SAMPAN_CHECK(ok, Code::kIo, "cannot write %s", path.c_str());
  }
  return Status();
}

Status run(const Arguments& a) {
  const int64_t start = now_ns();
  Model model;
  SAMPAN_ASSIGN(model, Model::load(a.model.c_str(), a.load));
  SessionOptions options = a.session;
  if (!a.isa.empty()) options.isa = a.isa.c_str();
  Session session;
  SAMPAN_ASSIGN(session, Session::create(model, options));
  const int64_t created = now_ns();
  std::printf("sampan %s, %s, %d thread%s\n", version(), session.isa(), options.threads,
              options.threads == 1 ? "" : "s");
  std::vector<Buffer> memory;
  SAMPAN_TRY(set_inputs(a, &session, &memory));
  const int64_t before = now_ns();
  SAMPAN_TRY(session.run());
  std::printf("load %.3f ms, first run %.3f ms\n", static_cast<double>(created - start) * 1e-6,
              static_cast<double>(now_ns() - before) * 1e-6);
  for (int i = 0; i < a.warmup; ++i) SAMPAN_TRY(session.run());
  SAMPAN_TRY(time_runs(a, &session));
  return print_outputs(a, session);
}

// As the command line of the host: 3 bad model, 4 unsupported.
int exit_code(Code code) {
  switch (code) {
    case Code::kOk:
      return 0;
    case Code::kInvalidArgument:
      return 2;
    case Code::kBadModel:
    case Code::kNewerVersion:
    case Code::kIo:
      return 3;
    case Code::kUnsupported:
      return 4;
    default:
      return 1;
  }
}

}  // namespace
}  // namespace sampan

int main(int argc, char** argv) {
  sampan::Arguments arguments;
  const int wrong = sampan::parse(argc, argv, &arguments);
  if (wrong) return wrong;
  const sampan::Status status = sampan::run(arguments);
  if (!status.ok())
    std::fprintf(stderr, "sampan_run: %s: %s%s%s\n", sampan::code_name(status.code()),
                 status.node(), status.node()[0] ? ": " : "", status.message());
  return sampan::exit_code(status.code());
}
