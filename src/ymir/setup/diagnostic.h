// What is wrong with a setup file, where, and what to do about it.
#pragma once

#include <string>
#include <vector>

namespace ymir {

// Place in a text, counted from 1; line 0 is the file as a whole.
struct Location {
  int line = 0;
  int column = 0;
};

enum class Severity { error, warning };

struct Diagnostic {
  Severity severity = Severity::error;
  std::string file;
  Location at;
  std::string path;  // of the node and parameter: "Hair/elastic_rod.youngs_modulus"; may be empty
  std::string message;
};

// "scene.yaml:14:7 Hair/elastic_rod.youngs_modulus: ", where a message goes.
std::string place_of(const Diagnostic&);
// "scene.yaml:14:7 Hair/elastic_rod.youngs_modulus: expected a pressure, got 3 kg; ..."
std::string to_string(const Diagnostic&);
// One per line.
std::string to_string(const std::vector<Diagnostic>&);
bool has_errors(const std::vector<Diagnostic>&);

}  // namespace ymir
