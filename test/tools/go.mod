// The programs that generate and check this tree. Each has a module file of its own beside this one,
// <tool>.mod, so that no tool decides the version of another tool's libraries.
module projection.sh/operator/test/tools

go 1.26.0
