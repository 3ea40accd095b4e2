// Package mutations turns an object into a copy of itself that can live in another namespace.
//
// It takes values and returns values: no request is made, no clock is read. ForDestination returns a fixed list of
// named mutations for the primitive unstructured/static (or any other that takes unstructured.Mutation). The baseline
// is a deep copy of the source as the API server returned it, never through a typed struct, whose metadata.name and
// metadata.namespace are the target's.
//
// The list is the same for every object. Gates decide which mutations apply: by kind, by the version of the API server
// where Kubernetes changed, and by whether there is an overlay or a filter. In order:
//
//  1. keep-intent-metadata: of metadata, name, namespace, labels and annotations stay
//  2. drop-source-bookkeeping: what kubectl, leader election and Projection note on the source
//  3. drop-tool-marks: what GitOps, package and copying tools recognise their own objects by
//  4. drop-status: the status
//  5. drop-nulls: fields without a value
//  6. strip-service: addresses and ports that the API server allocates
//  7. strip-persistentvolumeclaim: the volume that was bound and the marks of binding it
//  8. strip-pod: the node, what admission adds, and the marks of controllers and networks
//  9. strip-pod-topology: the labels of the node's zone and region, from Kubernetes 1.35
//  10. strip-podgroup: the priority that admission computes
//  11. strip-job: the generated selector and its labels, unless the selector is manual
//  12. strip-deployment: the revision
//  13. strip-replicaset: the revision, the sizes noted for a rollout, and the hash of the pod template
//  14. strip-daemonset: the generation of the template
//  15. strip-statefulset: the status inside claim templates
//  16. strip-horizontalpodautoscaler: status that autoscaling/v1 keeps in annotations
//  17. strip-serviceaccount: token and pull secrets that controllers generate
//  18. strip-endpoints: the marks of the endpoints controller
//  19. strip-endpointslice: the controller that manages the slice
//  20. strip-resourceclaim: the pod that a claim was generated for
//  21. strip-csistoragecapacity: the provisioner that manages the object
//  22. filter-metadata: the labels and annotations that are not to be copied
//  23. filter-fields: the fields that are not to be copied
//  24. filter-data: the keys of a ConfigMap or Secret that are not to be copied, and new names for the others
//  25. convert-kind: a ConfigMap becomes a Secret, or a Secret a ConfigMap
//  26. merge-layers: the keys of other ConfigMaps or Secrets are laid to those of the source
//  27. overlay: the labels and annotations that the owner adds
//  28. set-fields: the values that the owner sets
//  29. refuse-credentials: nothing, but a Secret that would be a credential is an error
//  30. stamp-ownership: the owner
//  31. stamp-opt-out: that nobody is to copy the copy
//  32. stamp-content-hash: the hash of all that
//  33. stamp-source: the names of the source and its layers, and the uid of the source on a copy that cannot be changed in place
//  34. stamp-place: the namespace and name of the copy
//
// What is not allocated is kept, defaults included: to own a default is harmless, to guess at intent is not. Each
// mutation is idempotent, and so is the list, but for those that rename keys, convert the kind and merge layers, which expect the source.
// Content of an unexpected shape is left as it is and never panics; whether it is acceptable is for the API server to say.
//
// Errors of the filters are typed: an InputError if they can be applied to no source, a MissingKeysError if this source lacks keys, and
// a SourceError if no copy can be made of this source. They quote keys and paths, and no values.
package mutations
