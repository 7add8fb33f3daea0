#include "ymir/solids/contact/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ymir/base/error.h"
#include "ymir/base/log.h"
#include "ymir/solids/solid_system.h"
#include "ymir/solids/unions.h"

namespace ymir {
namespace {

using Members = std::vector<SolidObject*>;

// Members that contacts or couplings may join, where something of them touches.
std::vector<Members> find_companies(const SolidSystem& solids) {
  const Members& members = solids.members();
  const ContactScene& scene = solids.contacts();
  Unions joined(members.size());
  for (std::size_t a = 0; a < members.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if ((scene.families_of(*members[a]) & scene.families_of(*members[b])) != 0)
        joined.join(static_cast<int>(a), static_cast<int>(b));
  for (const auto& coupling : solids.couplings()) {
    int first = -1;
    for (std::size_t m = 0; m < members.size(); ++m) {
      if (!coupling->may_touch(*members[m])) continue;
      if (first >= 0) joined.join(first, static_cast<int>(m));
      first = static_cast<int>(m);
    }
  }
  std::vector<Members> companies(members.size());
  for (std::size_t m = 0; m < members.size(); ++m)
    companies[static_cast<std::size_t>(joined.find(static_cast<int>(m)))].push_back(members[m]);
  std::erase_if(companies, [&](const Members& company) {
    return std::none_of(company.begin(), company.end(), [&](const SolidObject* m) { return scene.touches(*m); });
  });
  return companies;
}

// Why all of a company has to be on one rank, or "".
std::string why_together(const SolidSystem& solids, const Members& company) {
  for (const SolidObject* member : company)
    if (member->thin())
      return fmt::format("it may touch {}, which is cloth, directly or through others", member->name());
  for (const SolidObject* member : company)
    for (const auto& coupling : solids.couplings())
      if (member->owner() < 0 && coupling->may_touch(*member))
        return fmt::format("{} couples what touches", coupling->owner());
  for (const SolidObject* member : company)
    if (solids.contacts().gives(*member))
      return fmt::format("what touches {} gives (`response: penalty` or `barrier`)", member->name());
  return "";
}

}  // namespace

void place_touching(const SolidSystem& solids) {
  const Communicator& communicator = solids.communicator();
  int next = 0;
  for (const Members& company : find_companies(solids)) {
    const std::string why = why_together(solids, company);
    const auto body =
        std::find_if(company.begin(), company.end(), [](const SolidObject* m) { return m->owner() >= 0; });
    const int rank = body != company.end() ? (*body)->owner() : next++ % communicator.size();
    for (SolidObject* member : company) {
      const bool divided = member->owner() < 0;
      if (divided && why.empty())
        member->keep_blocks();
      else if (communicator.size() > 1 && !member->keep_on(rank))
        throw Error(ExitCode::bad_input,
                    fmt::format("{}: its pieces cannot all be on one rank, where they would have to be because {}; "
                                "start without mpirun and use its threads",
                                member->name(), why));
      else if (communicator.size() > 1 && divided && communicator.root())
        log::info(fmt::format("{}: one rank has all of it, because {}", member->name(), why));
    }
  }
}

}  // namespace ymir
