// Package paths names fields of objects of any kind by their paths, such as spec.template.spec.containers[name=web].image. It needs no
// schema. A path consists of names with dots, of ["..."] for a name with other characters, of [*] for all elements of a list, and of
// [key=value] or [key=value,key=value] for the elements with these values. There are no indexes: after an insertion, an index means
// another element.
//
// Everything here is pure. Content of an unexpected shape has nothing at a path, and never panics.
package paths
