// Judges how an iteration on contacts goes: when it is solved, when it is slow, stalls, or runs away.
#pragma once

#include <limits>
#include <vector>

namespace ymir {

enum class ContactStatus : unsigned char {
  solved,
  inaccurate,  // E_s within 100 tolerances
  diverging,   // impulses grow and the error does not fall: there is no solution. They have been cut.
  failed
};

class ContactProgress {
 public:
  explicit ContactProgress(double tolerance) : tolerance_(tolerance) {}

  // A check: E_s; largest |e_i| and w_i |r_i| in units of the root mean square of |q_i|. True: the best so far.
  bool note(int iteration, double error, double largest, double impulse);
  // The iteration is another one from here on: it gets time to recover.
  void changed(int iteration);

  bool solved() const { return solved_; }
  bool slow() const { return last_ - since_ >= slow_after; }      // E_s not halved for long
  bool stalled() const { return last_ - since_ >= stall_after; }  // for very long
  bool diverging() const { return diverging_; }
  bool broken() const { return broken_; }  // not a number
  double best() const { return best_; }
  ContactStatus status() const;

  static constexpr int slow_after = 40, stall_after = 400;

 private:
  struct Check {
    int iteration;
    double error, impulse;
  };
  double tolerance_, best_ = std::numeric_limits<double>::infinity();
  double mark_ = std::numeric_limits<double>::infinity();  // E_s when it was last halved
  int since_ = 0, last_ = 0;
  bool solved_ = false, diverging_ = false, broken_ = false;
  std::vector<Check> checks_;
};

}  // namespace ymir
