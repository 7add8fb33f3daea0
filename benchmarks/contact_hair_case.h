// A bundle of wavy hair that is squeezed and twisted: one step's contact problem, as the first Newton iteration of a
// substep meets it. Hair of 40 um, 4 GPa, 20 cm in 25 edges, roots 1 mm apart in a hexagonal pattern; dt = 4 ms,
// mu = 0.3. Contacts are between hairs closer than `distance`: the larger, the denser the jam.
#pragma once

#include <memory>
#include <vector>

#include "ymir/actions/elastic_rod.h"
#include "ymir/solvers/nodal_contact/band_body.h"
#include "ymir/solvers/nodal_contact/nodal_contact.h"

namespace ymir::bench {

class ContactHairCase {
 public:
  static constexpr int edges = 25;
  static constexpr double dt = 4e-3;  // [s]
  static constexpr double friction = 0.3;

  ContactHairCase(int strands, double distance);
  ContactHairCase(const ContactHairCase&) = delete;
  ContactHairCase& operator=(const ContactHairCase&) = delete;

  std::vector<NodalBody*> bodies() const;
  std::size_t body_memory() const;
  ContactList contacts;

 private:
  using Body = BandBody<PlainLayout::block, PlainLayout::half_bandwidth>;
  struct Pair {
    int a, b, ia, ib;  // strands and edges
    double s, t;       // along those
    double distance;
    Vec3d normal;
  };
  void shape();
  void move();
  void assemble();
  std::vector<Pair> detect(double distance) const;
  void add_pairs(int a, int b, double distance, std::vector<Pair>& pairs) const;
  static void merge(std::vector<Pair>& pairs, std::size_t first);
  Vec3d& position(int strand, int vertex) { return position_[static_cast<std::size_t>(strand * (edges + 1) + vertex)]; }
  const Vec3d& position(int strand, int vertex) const {
    return position_[static_cast<std::size_t>(strand * (edges + 1) + vertex)];
  }

  int strands_, row_;  // roots in a row
  Communicator alone_;
  GridDomain domain_;
  CurvesObject object_;
  std::vector<Vec3d> position_;
  std::vector<std::unique_ptr<StrandConstraint>> constraints_;
  std::vector<std::unique_ptr<Body>> bodies_;
};

}  // namespace ymir::bench
