// Drag between a gas and the points of other Objects, felt by both. [Lesser2022, 6.2 and 6.4; method notes C, 7]
//
// Solids are solved with the drag law, implicit in their velocity, against the gas they are in. The gas then takes the
// reaction, implicit in its own velocity through the lumped derivative K of the law:
//
//   I <- I - (M I + dt W'F)/(M + dt K),  u = u0 + I,   K = W' k,  k = J m/(m + dt J) of loose points, J of strands
//   and of panels of surfaces (surface_panels.h), which are held by their neighbours
//
// I is the change of velocity by drag, M = rho h^3 the mass of a face, F the force on points at the last u and v. In
// the last pass solids are solved once more with the force that the gas has felt, F + k W dI, and no other: momentum is
// exchanged to rounding after any number of passes.
//
// Panels and parts of plants answer in the last pass as the law does, F - J (v - v_last): a light sheet under a dead
// load would fly off. What that adds to the force the gas gets at the end. Plants feel the law of `drag`, a plate
// across the wind with the area of the branch or leaf.
//
// Points that also carry gas along (coupled_buoyancy.h) have its mass in k, and M = rho kappa h^3. The pressure of the
// reaction, which is spread over the weights, pushes the point itself: F is the law's times 2(1 + a)/3 (spheres) or
// (1 + a)/2 (strands). The gas at a sphere is what its weights read between the objects, less its own wake c:
//
//   dc/dt = -F/(2 pi rho r^3) - c (|w|/r + 2.5 nu/r^2),   r radius of the weights, w relative velocity
//
// the disturbance that F makes in a ball of radius r and leaves behind. It is kept with the points. [method notes C,
// light bodies, 4]
#pragma once

#include "ymir/objects/volume_object.h"
#include "ymir/physics/fluid/drag_laws.h"

namespace ymir {

struct CoupledDragParams {
  double viscosity = 1.81e-5;  // of the gas [Pa s]
  double strength = 1;         // factor of the law; a channel drag_strength of the points overrides it
  bool on_objects = true;      // the gas pulls at objects
  bool on_gas = true;          // objects slow the gas
  int passes = 3;
};

void couple_drag(VolumeObject& gas, const std::vector<ForceTarget*>& targets, const std::string& owner,
                 const CoupledDragParams& params);

}  // namespace ymir
