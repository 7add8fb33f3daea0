// Command line of Ymir: parses, dispatches, and turns every error into one line and an exit code.
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <new>
#include <span>
#include <system_error>

#include "commands.h"
#include "plain_stream.h"
#include "resources.h"
#include "ymir/base/check.h"
#include "ymir/base/hash.h"
#include "ymir/base/log.h"
#include "ymir/base/version.h"
#include "ymir/parallel/common_end.h"
#include "ymir/parallel/communicator.h"
#include "ymir/parallel/threads.h"
#include "ymir/setup/build.h"

namespace ymir::cli {
namespace {

struct CommandLine {
  CLI::App app{"Ymir: multiphysics simulation for visual effects."};
  int threads = 0;
  std::string log_level = "info";
  std::string frames;
  RunArguments run;
  SetupArguments setup;
  DescribeArguments describe;
  InfoArguments info;
  PreviewArguments preview;
  SliceArguments slice;
  ExportArguments exported;
  GroomHeadArguments groom_head;
  GroomGenerateArguments groom_generate;
  GroomGuidesArguments groom_guides;
  GroomInterpolateArguments groom_interpolate;
  ContactSolveArguments contact;
  BenchArguments bench;
  std::function<ExitCode()> command;

  CLI::App* add(const char* name, const char* about, std::function<ExitCode()> action, CLI::App* parent = nullptr) {
    CLI::App* sub = (parent != nullptr ? parent : &app)->add_subcommand(name, about);
    sub->callback([this, action] { command = action; });
    sub->add_option("--threads", threads, "Threads to use (default: all)")->check(CLI::Range(0, 4096));
    sub->add_option("--log", log_level, "trace, debug, info, warn, error or off");
    return sub;
  }

  // An option that is there and empty is a variable that was not set, not a wish for the default.
  static CLI::Validator given() {
    return {[](std::string& text) { return text.empty() ? std::string("is empty; leave it out or give a value") : ""; },
            ""};
  }
  void add_run() {
    CLI::App* sub = add("run", "Simulate a setup and write its cache.", [this] {
      run.frames = parse_frames(frames);
      return cli::run(run);
    });
    sub->add_option("SETUP", run.setup, "Setup file (.yaml)")->required();
    sub->add_option("--out", run.out, "Folder of the cache (default: what the setup says)")->check(given());
    sub->add_option("--frames", frames, "First and last frame, A:B")->check(given());
    CLI::Option* resume = sub->add_flag("--resume", run.resume, "Go on from the last good checkpoint");
    CLI::Option* from = sub->add_option("--from", run.from,
                                        "With --resume: go on after this frame, or the last "
                                        "checkpoint before it; the setup may have changed");
    CLI::Option* restart = sub->add_flag("--force-restart", run.force_restart,
                                         "Remove the frames that are there and "
                                         "start again, whatever setup they are of");
    from->check(given());
    from->needs(resume);
    from->excludes(restart);
    resume->excludes(restart);
    sub->add_option("--dump-contacts", run.dump_contacts,
                    "Write every substep's problems of exact contact to this empty folder, as FCLIB files")
        ->check(given());
    sub->add_flag("--strict", run.strict, "Stop when a solve ends above its tolerance (exit code 5)");
    sub->add_flag("--no-preview", run.no_preview, "Leave out the pictures the setup asks for");
    sub->add_flag("--json", run.json, "One JSON document on standard output at the end");
  }
  void add_setup_commands() {
    CLI::App* sub = add(
        "check",
        "Check a setup and its inputs; print everything that is wrong, without running it or leaving anything behind.",
        [this] { return cli::check(setup); });
    sub->add_option("SETUP", setup.setup, "Setup file (.yaml)")->required();
    sub->add_option("--out", setup.out, "Folder of the cache that a run would get (default: what the setup says)")
        ->check(given());
    sub->add_flag("--json", setup.json, "Diagnostics as one JSON document");
    sub = add("explain", "Print the timeline of a setup: which task of which behavior runs when.",
              [this] { return cli::explain(setup); });
    sub->add_option("SETUP", setup.setup, "Setup file (.yaml)")->required();
    sub->add_flag("--json", setup.json, "The timeline as one JSON document");
    sub = add("describe", "Describe a behavior and its parameters, or list all behaviors.",
              [this] { return cli::describe(describe); });
    sub->add_option("BEHAVIOR", describe.behavior, "Name of a behavior, or time, inputs, outputs or channels");
    sub->add_option("--pages", describe.pages, "Write the reference pages to this folder");
    sub->add_flag("--json", describe.json,
                  "All behaviors and sections with parameters and channels as one JSON document");
    add("schema", "Print the JSON Schema of the setup file.", [] { return cli::schema(); });
  }
  void add_result_commands() {
    CLI::App* sub = add("info", "Describe a cache, a frame or a geometry file.", [this] { return cli::info(info); });
    sub->add_option("PATH", info.path, "Cache folder, frame (.h5), .hair, .data, .obj, .ply, .vdb or .usda")
        ->required();
    sub->add_flag("--stats", info.stats, "How every frame of a cache went: seconds, memory, solves, speeds");
    sub->add_flag("--json", info.json, "One JSON document");

    sub = add("preview", "Draw the frames of a cache: pictures and a film.", [this] {
      preview.frames = parse_frames(frames);
      return cli::preview(preview);
    });
    sub->add_option("CACHE", preview.cache, "Cache folder")->required();
    sub->add_option("--out", preview.out, "Folder of the pictures (default: CACHE/preview)");
    sub->add_option("--frames", frames, "First and last frame, A:B");
    sub->add_option("--every", preview.every, "Frames from one picture to the next")->check(CLI::Range(1, 1000000));
    sub->add_option("--width", preview.render.width, "Pixels")->check(CLI::Range(16, 16384));
    sub->add_option("--height", preview.render.height, "Pixels")->check(CLI::Range(16, 16384));
    sub->add_option("--samples", preview.render.samples, "Per pixel")->check(CLI::Range(1, 4096));
    sub->add_flag("--glow", preview.glow, "Points glow in the dark (embers, sparks)");
    sub->add_flag("--no-film", preview.no_film, "Pictures only");
    sub->add_option("--eye", preview.eye, "Place of the camera, X Y Z [m] (default: it sees the whole shot)")
        ->expected(3);
    sub->add_option("--target", preview.target, "What it looks at, X Y Z [m] (default: the middle)")->expected(3);
    sub->add_option("--fov", preview.fov, "Vertical angle of the picture [degrees] (default: 32.2)")
        ->check(CLI::Range(0.1, 170.0));
    sub->add_option("--turn", preview.turn, "Angle by which it goes around its target over the shot [degrees]")
        ->check(CLI::Range(-36000.0, 36000.0));
    sub->add_option("--color", preview.color, "Colour by a channel: speed, radius, temperature, velocity.x, ...");
    sub->add_option("--range", preview.range, "Least and largest value of those colours (default: of the shot)")
        ->expected(2);
    sub->add_option("--show", preview.show, "Overlays: colliders (see-through), tiles, wind")
        ->delimiter(',')
        ->check(CLI::IsMember({"colliders", "tiles", "wind"}));
    sub->add_option("--strand-width", preview.strand_width, "Draw strands this many times as wide (default: 1)")
        ->check(CLI::Range(0.01, 1000.0));
    sub->add_option("--backend", preview.render.backend, "automatic, embree or raster")
        ->transform(
            CLI::CheckedTransformer(std::map<std::string, RenderBackend>{{"automatic", RenderBackend::automatic},
                                                                         {"embree", RenderBackend::embree},
                                                                         {"raster", RenderBackend::raster}}));

    sub = add("slice", "Draw a plane through a gas: wind speed, or any channel, in colours.",
              [this] { return cli::slice(slice); });
    sub->add_option("CACHE", slice.cache, "Cache folder")->required();
    sub->add_option("FILE", slice.file, "Picture to write (.png)")->required();
    sub->add_option("--frame", slice.frame, "Frame (default: the last one)")->check(given());
    sub->add_option("--axis", slice.axis, "Normal of the plane: x, y or z (default)")
        ->check(CLI::IsMember({"x", "y", "z"}));
    sub->add_option("--at", slice.at, "Place of the plane on that axis, with unit (12 cm; default: the middle)");
    sub->add_option("--channel", slice.options.channel, "speed (default), velocity.x, density, temperature, ...");
    sub->add_option("--object", slice.options.object, "The gas (default: the only one)");
    sub->add_option("--range", slice.range, "Least and largest value of the colours (default: of the plane)")
        ->expected(2);
    sub->add_option("--width", slice.options.width, "Pixels")->check(CLI::Range(128, 16384));

    sub = add("export", "Write the frames of a cache for other programs.", [this] {
      exported.frames = parse_frames(frames);
      return cli::export_cache(exported);
    });
    sub->add_option("CACHE", exported.cache, "Cache folder")->required();
    sub->add_option("FILE", exported.file,
                    "All frames: .usda; gas, a file per frame: smoke.####.vdb; the points of one frame: .ply")
        ->required();
    sub->add_option("--object", exported.object, "One object, or those of one group (default: all)");
    sub->add_flag("--half", exported.half, "Volumes in half precision");
    sub->add_flag("--clips", exported.clips, "A .usda for each frame, gathered by FILE as value clips");
    sub->add_option("--frames", frames, "First and last frame, A:B");

    sub = add("bench", "Run a benchmark and print its rows.", [this] { return cli::bench(bench); });
    sub->add_option("NAME", bench.name, "Name of a benchmark; a wrong one lists them")->required();
    sub->add_flag("--quick", bench.quick, "Small sizes only");
    sub->add_flag("--json", bench.json, "One JSON document {\"rows\": [...]}, a row to a line");
  }

  void add_contact_commands() {
    CLI::App* group = app.add_subcommand("contact", "Friction problems of other programs.");
    group->require_subcommand(1);
    CLI::App* sub = add(
        "solve", "Solve problems of exact Coulomb friction (FCLIB's .hdf5) and print both errors.",
        [this] { return cli::contact_solve(contact); }, group);
    sub->add_option("FILES", contact.files, "Problems, local or global")->required();
    sub->add_option("--solver", contact.solver, "ladder (default) or another; a wrong name lists them");
    sub->add_option("--tolerance", contact.tolerance, "Of the error over |q| (1e-6)")->check(CLI::Range(1e-15, 1.0));
    sub->add_option("--max-iterations", contact.max_iterations, "Of the solver, or of each level of the ladder")
        ->check(CLI::Range(1, 100000000));
    sub->add_option("--sleep", contact.sleep, "Sweeps that contacts at rest are left alone (0)")
        ->check(CLI::Range(0, 1000000));
    sub->add_option("--friction-scale", contact.friction_scale, "Times all friction coefficients (1)")
        ->check(CLI::Range(0.0, 1e6));
    sub->add_option("--save", contact.save, "Write the problem as solved and its solution to this file")
        ->check(given());
    sub->add_flag("--json", contact.json, "One JSON document");
  }

  static void add_picture(CLI::App* sub, GroomPicture& picture) {
    sub->add_option("--picture", picture.file, "Draw the result to this file (.png)");
    sub->add_option("--turn", picture.turn, "Camera about the head [degrees]; 0: the face, 90: its left side");
    sub->add_option("--width", picture.render.width, "Pixels")->check(CLI::Range(16, 16384));
    sub->add_option("--height", picture.render.height, "Pixels")->check(CLI::Range(16, 16384));
    sub->add_option("--samples", picture.render.samples, "Per pixel")->check(CLI::Range(1, 4096));
  }
  static void add_scalp(CLI::App* sub, GroomScalp& scalp) {
    sub->add_option("--scalp", scalp.mesh, "Mesh to grow on (.obj, .ply, metres, y up; default: the built-in head)");
    sub->add_option("--region", scalp.region, "Vertex channel of the mesh with the density of hair, 0 to 1");
    sub->add_option("--max-angle", scalp.max_angle, "Hair only where the normal is this near to straight up (80 deg)");
  }
  void add_groom_commands() {
    CLI::App* groom = app.add_subcommand("groom", "Make grooms, choose guides, carry their motion to all hairs.");
    groom->require_subcommand(1);
    CLI::App* sub = add(
        "head", "Write the built-in head.", [this] { return cli::groom_head(groom_head); }, groom);
    sub->add_option("FILE", groom_head.out, ".ply (with the channel scalp) or .obj")->required();
    add_picture(sub, groom_head.picture);

    sub = add(
        "generate", "Grow a hairstyle on a head.", [this] { return cli::groom_generate(groom_generate); }, groom);
    sub->add_option("STYLE", groom_generate.style, "straight, wavy, curly, afro, bob, ponytail or long")->required();
    sub->add_option("OUT", groom_generate.out, "Groom to write: .hair, .usda, .data or .obj")->required();
    add_scalp(sub, groom_generate.scalp);
    sub->add_option("--strands", groom_generate.strands, "Number of hairs");
    sub->add_option("--vertices", groom_generate.vertices, "Per hair");
    sub->add_option("--length", groom_generate.length, "Of the longest hair, along it (25 cm)");
    sub->add_option("--curl-radius", groom_generate.curl_radius, "Of coils or waves (8 mm); 0: none");
    sub->add_option("--curl-pitch", groom_generate.curl_pitch, "Length of one turn or wave (3 cm)");
    sub->add_option("--noise", groom_generate.noise, "0: as combed, 1: unruly");
    sub->add_option("--radius", groom_generate.radius, "Of a hair (40 um)");
    sub->add_option("--seed", groom_generate.seed, "Another number, another groom of the same style");
    add_picture(sub, groom_generate.picture);

    sub = add(
        "guides", "Choose the hairs that represent a groom best.", [this] { return cli::groom_guides(groom_guides); },
        groom);
    sub->add_option("GROOM", groom_guides.groom, "Groom: .hair, .data or .obj")->required();
    sub->add_option("OUT", groom_guides.out, "Guides to write: .hair, .usda, .data or .obj")->required();
    sub->add_option("--count", groom_guides.count, "Number of guides")->required();
    sub->add_option("--scale", groom_guides.scale, "Size of one unit of the groom's file (1 cm; default: 1 m)");
    add_scalp(sub, groom_guides.scalp);
    add_picture(sub, groom_guides.picture);

    sub = add(
        "interpolate", "Carry the motion of guides to all hairs of a groom.",
        [this] {
          GroomInterpolateArguments& given = groom_interpolate;
          given.frames = parse_frames(frames);
          given.groom = given.files.front();
          if (given.files.size() == 4) given.guides_rest = given.files[1];
          given.guides_moved = given.files[given.files.size() - 2];
          given.out = given.files.back();
          return cli::groom_interpolate(given);
        },
        groom);
    sub->add_option(
           "FILES", groom_interpolate.files,
           "GROOM CACHE OUT: all hairs at rest, the cache of the guides, and a folder for a cache of all hairs "
           "(or one .usda, or hairs.####.hair); or GROOM GUIDES_REST GUIDES_MOVED OUT")
        ->expected(3, 4)
        ->required();
    sub->add_option("--surface", groom_interpolate.surface, "Mesh to stay out of, with two files of guides");
    sub->add_option("--object", groom_interpolate.object, "Curves of the cache (default: the only ones)");
    sub->add_option("--guides", groom_interpolate.neighbours, "Guides per hair")->check(CLI::Range(1, 64));
    sub->add_option("--scale", groom_interpolate.scale,
                    "Size of one unit of GROOM (1 cm; default: 1 m); guides are in metres");
    sub->add_option("--frames", frames, "First and last frame of the cache, A:B");
  }
};

// Settings that libraries read before main, hence a second start with them:
// - Waiting threads of libgomp spin by default and starve whatever else wants the core, other ranks above all: on a
// busy
//   machine a run of small steps took 25 times as long.
// - OpenBLAS, where it is the system's BLAS, starts a thread per core for what CHOLMOD asks of it: one is enough.
// - Large pages for the heap: channels are many megabytes in many places, and ten million particles step 10 % faster.
void tune_libraries(char** argv) {
  // With bound threads the second start would inherit the one core of the first's main thread.
  for (const char* set : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"})
    if (std::getenv(set) != nullptr) return;
  setenv("GOMP_SPINCOUNT", "1000", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);
  execv("/proc/self/exe", argv);  // returns only if it fails; then all still works
}

// How long the other ranks may take to meet the error that one has met [s].
constexpr double patience = 5;

// Ranks that have all met the same error end by themselves, and one of them tells it. Otherwise others may be waiting
// for this one.
int report(ExitCode code, const std::string& message) {
  log::summarize();
  Communicator& world = Communicator::world();
  if (world.root()) log::error(message);
  if (world.size() == 1) return static_cast<int>(code);
  if (all_ranks_end(hash_bytes(std::as_bytes(std::span(message))), patience)) return static_cast<int>(code);
  if (!world.root()) log::error(message);
  world.abort(static_cast<int>(code));
}

// The other end of a pipe has closed it: `head` has seen enough, which is no error.
bool nobody_reads() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

int parse_and_run(int argc, char** argv) {
  CommandLine line;
  line.app.set_version_flag("--version", std::string("ymir ") + std::string(version));
  line.app.require_subcommand(1);
  line.add_run();
  line.add_setup_commands();
  line.add_result_commands();
  line.add_groom_commands();
  line.add_contact_commands();
  const PlainStream out(std::cout), err(std::cerr);
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (Communicator::world().root()) line.app.exit(error);
    return error.get_exit_code() == 0 ? 0 : static_cast<int>(ExitCode::usage);
  }
  if (!log::set_level(line.log_level))
    return report(ExitCode::usage,
                  "--log " + line.log_level + ": no such level; use trace, debug, info, warn, error or off");
  now("running ymir " + line.app.get_subcommands().front()->get_name());
  set_threads(line.threads);
  Communicator::world();
  const ExitCode code = line.command();
  log::summarize();
  if (!std::cout.flush() && !nobody_reads())
    throw Error(ExitCode::io, "the answer could not be written to standard output");
  return static_cast<int>(code);
}

int main(int argc, char** argv) {
  tune_libraries(argv);
  watch_resources();
  try {
    return parse_and_run(argc, argv);
  } catch (const SetupError& error) {
    const auto count = std::count_if(error.diagnostics().begin(), error.diagnostics().end(),
                                     [](const Diagnostic& d) { return d.severity == Severity::error; });
    if (Communicator::world().root()) std::cerr << to_string(error.diagnostics());
    return report(error.code(), std::to_string(count) + (count == 1 ? " error" : " errors") + " in the setup");
  } catch (const Error& error) {
    return report(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return report(ExitCode::io, out_of_memory());
  } catch (const std::system_error& error) {
    return report(ExitCode::io, std::string(error.what()) + "; check paths, permissions and limits (ulimit -a)");
  } catch (const std::exception& error) {
    return report(ExitCode::internal, std::string("internal error, please report: ") + error.what());
  }
}

}  // namespace
}  // namespace ymir::cli

int main(int argc, char** argv) { return ymir::cli::main(argc, argv); }
