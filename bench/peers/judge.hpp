// snag's own exact test for the candidates of a peer that has no exact test, or none that follows snag's rule. Candidates are
// collected and tested in batches, as in snag's methods. If candidates are requested, those without a shared vertex are kept.
#ifndef SNAG_BENCH_JUDGE_HPP
#define SNAG_BENCH_JUDGE_HPP

#include "peer.h"

extern "C" {
#include "geom/geom.h"
#include "geom/triangle_kernel.h"
}

#include <vector>

class Judge {
public:
    explicit Judge(const peer_mesh *mesh) : mesh_(mesh), kernels_(snag__triangle_kernels_for(snag__isa_best()))
    {
        waiting_.reserve(BATCH);
    }

    void clear()
    {
        waiting_.clear();
        found_.clear();
        judged_ = 0;
    }

    // Adds a candidate, in either order.
    void add(uint32_t a, uint32_t b)
    {
        const Pair pair = a < b ? Pair{a, b} : Pair{b, a};
        if (mesh_->inflate > 0) {
            if (!share(mesh_->triangles[a], mesh_->triangles[b]))
                found_.push_back(pair);
            judged_++;
            return;
        }
        waiting_.push_back(pair);
        if (waiting_.size() == BATCH)
            flush();
    }

    static bool share(const uint32_t *a, const uint32_t *b)
    {
        bool shared = false;
        for (int i = 0; i < 3; i++)
            shared |= (a[i] == b[0]) | (a[i] == b[1]) | (a[i] == b[2]);
        return shared;
    }

    // Tests the candidates that are still waiting.
    void flush()
    {
        snag__triangle_pairs pairs = {};
        pairs.x_a = pairs.x_b = mesh_->positions;
        pairs.triangles_a = pairs.triangles_b = mesh_->triangles;
        pairs.same_body = true;
        pairs.pairs = reinterpret_cast<const uint32_t(*)[2]>(waiting_.data());
        pairs.count = waiting_.size();
        uint8_t meeting[BATCH];
        kernels_->meet(&pairs, meeting);
        for (size_t i = 0; i < waiting_.size(); i++)
            if (meeting[i] != SNAG__APART && meeting[i] != SNAG__DEGENERATE)
                found_.push_back(waiting_[i]);
        judged_ += waiting_.size();
        waiting_.clear();
    }

    // Takes over the results of another judge.
    void take(const Judge &other)
    {
        found_.insert(found_.end(), other.found_.begin(), other.found_.end());
        judged_ += other.judged_;
    }

    peer_answer pairs() const
    {
        return {reinterpret_cast<const uint32_t(*)[2]>(found_.data()), found_.size(), judged_, 0};
    }

private:
    static constexpr size_t BATCH = 4096;
    struct Pair {
        uint32_t a, b;
    };
    const peer_mesh *mesh_;
    const snag__triangle_kernels *kernels_;
    std::vector<Pair> waiting_, found_;
    size_t judged_ = 0;
};

#endif
