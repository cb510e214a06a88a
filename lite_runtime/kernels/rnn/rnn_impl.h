// Cells over a vector type.
#pragma once
#include "kernels/rnn/rnn.h"
#include "kernels/simd/simd.h"

namespace sampan {
namespace {

// f(offset, count) for pieces of [0, n) of at most V::W.
template <class V, class F>
inline void for_pieces(int64_t n, F f) {
  for (int64_t i = 0; i < n; i += V::W)
    f(i, n - i < V::W ? static_cast<int>(n - i) : static_cast<int>(V::W));
}
template <class V>
inline V load_piece(const float* p, int count) {
  return count == V::W ? V::load(p) : V::load(p, count);
}
template <class V>
inline void store_piece(float* p, V v, int count) {
  if (count == V::W)
    V::store(p, v);
  else
    V::store(p, v, count);
}

template <class V>
inline void limit(float* x, int64_t n, float clip) {
  if (!(clip > 0.0f)) return;
  const V lo = V::set1(-clip), hi = V::set1(clip);
  for_pieces<V>(n, [&](int64_t i, int count) {
    store_piece(x + i, V::min(hi, V::max(lo, load_piece<V>(x + i, count))), count);
  });
}
inline void apply(const CellActivation& a, float* x, int64_t n) { a.fn(x, n, a.p0, a.p1); }

// x += weight * c
template <class V>
inline void add_peephole(float* x, const float* weight, const float* c, int64_t n) {
  for_pieces<V>(n, [&](int64_t i, int count) {
    V product = V::mul(load_piece<V>(weight + i, count), load_piece<V>(c + i, count));
    store_piece(x + i, V::add(load_piece<V>(x + i, count), product), count);
  });
}

template <class V>
void lstm_cell(const LstmCellF32& p, float* gates, float* cell, float* output, int64_t begin,
               int64_t end) {
  const int64_t n = p.hidden;
  for (int64_t b = begin; b < end; ++b) {
    float *gi = gates + b * 4 * n, *go = gi + n, *gf = gi + 2 * n, *gc = gi + 3 * n;
    float *c = cell + b * n, *h = output + b * n;
    if (p.peephole != nullptr) {
      add_peephole<V>(gi, p.peephole, c, n);
      add_peephole<V>(gf, p.peephole + 2 * n, c, n);
    }
    limit<V>(gi, n, p.clip);
    limit<V>(gf, 2 * n, p.clip);  // f and c
    apply(p.f, gi, n);
    if (!p.input_forget) apply(p.f, gf, n);
    apply(p.g, gc, n);
    for_pieces<V>(n, [&](int64_t k, int count) {
      V i = load_piece<V>(gi + k, count);
      V f = p.input_forget ? V::sub(V::set1(1.0f), i) : load_piece<V>(gf + k, count);
      V kept = V::mul(f, load_piece<V>(c + k, count));
      V next = V::add(kept, V::mul(i, load_piece<V>(gc + k, count)));
      store_piece(c + k, next, count);
      store_piece(h + k, next, count);
    });
    if (p.peephole != nullptr) add_peephole<V>(go, p.peephole + n, c, n);
    limit<V>(go, n, p.clip);
    apply(p.f, go, n);
    apply(p.h, h, n);
    for_pieces<V>(n, [&](int64_t k, int count) {
      store_piece(h + k, V::mul(load_piece<V>(go + k, count), load_piece<V>(h + k, count)), count);
    });
  }
}

template <class V>
void gru_reset(const GruCellF32& p, float* gates, const float* state, float* reset, int64_t begin,
               int64_t end) {
  const int64_t n = p.hidden;
  for (int64_t b = begin; b < end; ++b) {
    float* z = gates + b * 3 * n;
    limit<V>(z, 2 * n, p.clip);
    apply(p.f, z, 2 * n);
    if (p.linear_before_reset) continue;
    for_pieces<V>(n, [&](int64_t k, int count) {
      V r = load_piece<V>(z + n + k, count), h = load_piece<V>(state + b * n + k, count);
      store_piece(reset + b * n + k, V::mul(r, h), count);
    });
  }
}

template <class V>
void gru_output(const GruCellF32& p, const float* gates, float* recurrent, const float* state,
                float* output, int64_t begin, int64_t end) {
  const int64_t n = p.hidden;
  for (int64_t b = begin; b < end; ++b) {
    const float *z = gates + b * 3 * n, *r = z + n, *gh = z + 2 * n;
    float* t = recurrent + b * n;
    for_pieces<V>(n, [&](int64_t k, int count) {
      V v = load_piece<V>(t + k, count);
      if (p.linear_before_reset) v = V::mul(load_piece<V>(r + k, count), v);
      store_piece(t + k, V::add(load_piece<V>(gh + k, count), v), count);
    });
    limit<V>(t, n, p.clip);
    apply(p.g, t, n);
    for_pieces<V>(n, [&](int64_t k, int count) {
      V zk = load_piece<V>(z + k, count), h = load_piece<V>(state + b * n + k, count);
      V fresh = V::mul(V::sub(V::set1(1.0f), zk), load_piece<V>(t + k, count));
      store_piece(output + b * n + k, V::add(fresh, V::mul(zk, h)), count);
    });
  }
}

}  // namespace
}  // namespace sampan
