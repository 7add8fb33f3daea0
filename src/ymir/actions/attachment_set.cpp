#include "ymir/actions/attachment_set.h"

#include "ymir/actions/attachments.h"
#include "ymir/actions/co_location.h"
#include "ymir/actions/strand_attachments.h"

namespace ymir {

void add_surface_attachments(CurvesObject& curves, const std::string& owner, const AttachmentResponse& response,
                             const EmissionRule& rule, std::shared_ptr<const AnimatedSurface> surface) {
  auto attachments = std::make_unique<Attachments>(nullptr, owner, std::vector<SolidObject*>{&curves},
                                                   std::vector<SolidObject*>{}, std::move(surface), response, rule);
  curves.add_constraint(std::make_unique<StrandAttachments>(curves, std::move(attachments)));
}

std::size_t add_attachments(SolidSystem& solids, const std::string& owner, const std::vector<SolidObject*>& sources,
                            const std::vector<SolidObject*>& targets, const AttachmentResponse& response,
                            const EmissionRule& rule) {
  for (const auto* objects : {&sources, &targets})
    for (SolidObject* object : *objects) solids.add(*object);
  auto attachments =
      std::make_unique<Attachments>(&solids.communicator(), owner, sources, targets, nullptr, response, rule);
  const std::size_t count = attachments->size();
  solids.add(std::move(attachments));
  co_locate(solids);
  return count;
}

std::size_t add_surface_attachments(SolidSystem& solids, const std::string& owner, SolidObject& object,
                                    const AttachmentResponse& response, const EmissionRule& rule,
                                    std::shared_ptr<const AnimatedSurface> surface) {
  const std::vector<SolidObject*> sources{&object}, none;
  solids.add(object);
  auto attachments =
      std::make_unique<Attachments>(&solids.communicator(), owner, sources, none, std::move(surface), response, rule);
  const std::size_t count = attachments->size();
  solids.add(std::move(attachments));
  return count;
}

}  // namespace ymir
