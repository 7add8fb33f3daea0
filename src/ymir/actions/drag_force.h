// Fluid Drag Force [Lesser2022, 6.2] against a prescribed wind, of spheres, of the fibres that points of strands stand
// for, or of panels of surfaces. Implicit in the velocity of the point, and in the direction of the strand.
#pragma once

#include "ymir/actions/prescribed_field.h"
#include "ymir/objects/force_target.h"
#include "ymir/physics/fluid/plate_drag.h"
#include "ymir/physics/particles/drag.h"

namespace ymir {

struct DragStrength {
  double factor = 1;                         // of the whole force
  PointField<double> coefficients, factors;  // per point, where the data bring them; else empty
};

PointForce drag_force(std::string owner, const DragParams& params, PrescribedField wind, DragStrength strength = {});
// The law of coupled_drag.h, `coefficient` being that of fast flow across the fibre.
PointForce fibre_drag_force(std::string owner, const Gas& air, double coefficient, PrescribedField wind,
                            DragStrength strength = {});

// On panels of surfaces.
// `coefficients` are those of a plate across the wind.
PointForce plate_drag_force(std::string owner, const PlateLaw& law, PrescribedField wind, DragStrength strength = {});

void scale(FibreDrag& drag, double factor);
void add_gas_drag(const GasDrag& drag, int i, const ForceBlock& out);
// Adds the drag of point i of `count` to a block.
void add_fibre_drag(const FibreDrag& drag, int i, int count, const ForceBlock& out);

}  // namespace ymir
