#include <cinttypes>

#include "core/checked.h"
#include "ops/common/shape_rules.h"
#include "ops/common/spatial.h"

namespace sampan {
namespace {

enum { kBoxes, kScores, kMaxOutput, kIouThreshold, kScoreThreshold };
enum { kCenterPoint };

Status infer(InferContext& ctx) {
  const DimShape &boxes = ctx.shape(kBoxes), &scores = ctx.shape(kScores);
  DimMath& m = ctx.math();
  SAMPAN_RULE(boxes.rank == 3 && m.equal(boxes[2], 4) != Tri::kNo,
              "boxes has shape %s: expected [batch, boxes, 4]", ShapeText(boxes).c_str());
  SAMPAN_RULE(scores.rank == 3 && m.equal(scores[0], boxes[0]) != Tri::kNo &&
                  m.equal(scores[2], boxes[1]) != Tri::kNo,
              "scores has shape %s, boxes %s: expected [batch, classes, boxes]",
              ShapeText(scores).c_str(), ShapeText(boxes).c_str());
  for (int i = kMaxOutput; i <= kScoreThreshold; ++i)
    SAMPAN_RULE(!ctx.has_input(i) || ctx.shape(i).rank <= 1, "input %d must be a single number", i);
  // At most each box of each class; fewer if the limit is known.
  Dim per_class = scores[2];
  const Dim* limit = ctx.has_input(kMaxOutput) ? ctx.values(kMaxOutput) : nullptr;
  if (limit && limit->known() && limit->value >= 0) per_class = m.min(per_class, *limit);
  DimShape y;
  y.rank = 2;
  y[0] = m.mul(m.mul(scores[0], scores[1]), per_class);
  y[1] = 3;
  ctx.set_output(0, DType::kInt64, y);
  return Status();
}

struct Candidate {
  float score;
  int64_t box;
};

struct State {
  int64_t at_heap = 0, at_kept = 0;
};

Status prepare(PrepareContext& ctx) {
  State* s = nullptr;
  SAMPAN_TRY(ctx.state(&s));
  WorkspacePlan plan;
  const int64_t n = ctx.input(kBoxes).shape[1];
  s->at_heap = plan.add(n, sizeof(Candidate));
  s->at_kept = plan.add(n, sizeof(int64_t));
  ctx.kernel_name("non_max_suppression_portable");
  return plan.request(ctx);
}

struct Box {
  float y0, x0, y1, x1;
};

Box box_at(const float* b, bool center_point) {
  if (center_point) {
    const float half_w = b[2] / 2, half_h = b[3] / 2;
    return {b[1] - half_h, b[0] - half_w, b[1] + half_h, b[0] + half_w};
  }
  Box r;
  r.y0 = b[0] < b[2] ? b[0] : b[2];
  r.y1 = b[0] < b[2] ? b[2] : b[0];
  r.x0 = b[1] < b[3] ? b[1] : b[3];
  r.x1 = b[1] < b[3] ? b[3] : b[1];
  return r;
}

bool overlaps(const Box& a, const Box& b, float threshold) {
  const float y0 = a.y0 > b.y0 ? a.y0 : b.y0, x0 = a.x0 > b.x0 ? a.x0 : b.x0;
  const float y1 = a.y1 < b.y1 ? a.y1 : b.y1, x1 = a.x1 < b.x1 ? a.x1 : b.x1;
  const float h = y1 - y0, w = x1 - x0;
  const float shared = h > 0 && w > 0 ? h * w : 0.0f;
  const float area_a = (a.y1 - a.y0) * (a.x1 - a.x0), area_b = (b.y1 - b.y0) * (b.x1 - b.x0);
  const float all = area_a + area_b - shared;
  return all > 0 && shared / all > threshold;
}

// Whether a comes before b: by descending score, then by position.
bool before(const Candidate& a, const Candidate& b) {
  return a.score > b.score || (a.score == b.score && a.box < b.box);
}

void sift_down(Candidate* heap, int64_t n, int64_t i) {
  const Candidate moved = heap[i];
  for (int64_t child; (child = 2 * i + 1) < n; i = child) {
    if (child + 1 < n && before(heap[child + 1], heap[child])) ++child;
    if (!before(heap[child], moved)) break;
    heap[i] = heap[child];
  }
  heap[i] = moved;
}

struct Limits {
  int64_t per_class = 0;
  float iou = 0, score = 0;
  bool has_score = false, center_point = false;
};

// Keeps boxes of one class of one image in descending order of their scores; returns their number.
int64_t select(const float* boxes, const float* scores, int64_t n, const Limits& limits,
               Candidate* heap, int64_t* kept) {
  int64_t left = 0, count = 0;
  for (int64_t i = 0; i < n; ++i) {
    // A score that is NaN is never chosen.
    if (!(scores[i] == scores[i]) || (limits.has_score && !(scores[i] > limits.score))) continue;
    heap[left++] = {scores[i], i};
  }
  for (int64_t i = left / 2 - 1; i >= 0; --i) sift_down(heap, left, i);
  while (left > 0 && count < limits.per_class) {
    const int64_t best = heap[0].box;
    heap[0] = heap[--left];
    if (left > 0) sift_down(heap, left, 0);
    const Box box = box_at(boxes + best * 4, limits.center_point);
    bool free = true;
    for (int64_t k = 0; free && k < count; ++k)
      free = !overlaps(box, box_at(boxes + kept[k] * 4, limits.center_point), limits.iou);
    if (free) kept[count++] = best;
  }
  return count;
}

Status limits_of(const RunContext& ctx, Limits* l) {
  if (ctx.has_input(kMaxOutput)) {
    SAMPAN_CHECK(ctx.input(kMaxOutput).shape.elements() == 1, Code::kInvalidArgument,
                 "max_output_boxes_per_class must be a single number");
    l->per_class = index_at(ctx.input(kMaxOutput), 0);
  }
  float* floats[] = {&l->iou, &l->score};
  for (int i = 0; i < 2; ++i) {
    if (!ctx.has_input(kIouThreshold + i)) continue;
    SAMPAN_CHECK(ctx.input(kIouThreshold + i).shape.elements() == 1, Code::kInvalidArgument,
                 "a threshold must be a single number");
    *floats[i] = ctx.input(kIouThreshold + i).as<float>()[0];
  }
  SAMPAN_CHECK(l->iou >= 0 && l->iou <= 1, Code::kDataError,
               "iou_threshold is %g: it must be between 0 and 1", static_cast<double>(l->iou));
  l->has_score = ctx.has_input(kScoreThreshold);
  l->center_point = ctx.attr_bool(kCenterPoint);
  return Status();
}

Status run(RunContext& ctx) {
  const State& s = *ctx.state<State>();
  Limits limits;
  SAMPAN_TRY(limits_of(ctx, &limits));
  const Tensor &boxes = ctx.input(kBoxes), &scores = ctx.input(kScores);
  const int64_t batch = scores.shape[0], classes = scores.shape[1], n = scores.shape[2];
  Candidate* heap = workspace_at<Candidate>(ctx, s.at_heap);
  int64_t* kept = workspace_at<int64_t>(ctx, s.at_kept);
  int64_t* out = ctx.output(0).as<int64_t>();
  const int64_t room = ctx.output(0).shape[0];
  int64_t total = 0;
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t c = 0; c < classes; ++c) {
      const int64_t count =
          limits.per_class > 0
              ? select(boxes.as<float>() + b * n * 4, scores.as<float>() + (b * classes + c) * n, n,
                       limits, heap, kept)
              : 0;
      SAMPAN_CHECK(count <= room - total, Code::kInternal, "more boxes than the bound");
      for (int64_t k = 0; k < count; ++k, ++total) {
        out[total * 3] = b;
        out[total * 3 + 1] = c;
        out[total * 3 + 2] = kept[k];
      }
    }
  }
  Shape shape = ctx.output(0).shape;
  shape[0] = total;
  ctx.shrink_output(0, shape);
  return Status();
}

}  // namespace
}  // namespace sampan

SAMPAN_OPERATOR(NonMaxSuppression, 1)
    .doc(
        "Per image and class, the boxes in descending order of their scores that overlap no box "
        "before them by more than iou_threshold: rows (image, class, box).")
    .input("boxes", sampan::kF32)
    .input("scores", sampan::kF32)
    .input("max_output_boxes_per_class", sampan::kIndices, sampan::kOptional)
    .input("iou_threshold", sampan::kF32, sampan::kOptional)
    .input("score_threshold", sampan::kF32, sampan::kOptional)
    .output("selected")
    .attr_bool(sampan::kCenterPoint, "center_point_box", false,
               "boxes are (x center, y center, width, height), not two corners (y, x, y, x)")
    .infer(sampan::infer)
    .dynamic_output()
    .kernel(sampan::prepare, sampan::run);
