// Carries the precompiled headers (cmake/modules.cmake).
