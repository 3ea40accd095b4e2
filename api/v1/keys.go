package v1

// Domain is the API group, and the prefix of every label, annotation and finalizer of Projection.
const Domain = "projection.sh"

// Annotation by which the owner of a source says whether it may be projected.
const (
	// AnnotationProjectable opts a source in ("true") or vetoes its projection ("false").
	// A veto holds in every source mode.
	AnnotationProjectable = Domain + "/projectable"

	// ProjectableTrue is the value that opts in.
	ProjectableTrue = "true"
	// ProjectableFalse is the value that vetoes.
	ProjectableFalse = "false"
)

// Ownership of a copy. The annotation is the authority; the label only lets the API server select our copies.
const (
	// AnnotationOwnedByProjection names the Projection of a copy as <namespace>/<name>.
	AnnotationOwnedByProjection = Domain + "/owned-by-projection"
	// AnnotationOwnedByClusterProjection names the ClusterProjection of a copy.
	AnnotationOwnedByClusterProjection = Domain + "/owned-by-cluster-projection"

	// AnnotationPlace names the place of a copy as <namespace>/<name>. An object that names another place than its own was made
	// from a copy by somebody else. It is a foreign object, whatever its other marks are.
	AnnotationPlace = Domain + "/place"

	// LabelOwnedByProjectionUID holds the uid of the Projection of a copy.
	LabelOwnedByProjectionUID = Domain + "/owned-by-projection-uid"
	// LabelOwnedByClusterProjectionUID holds the uid of the ClusterProjection of a copy.
	LabelOwnedByClusterProjectionUID = Domain + "/owned-by-cluster-projection-uid"
)

// Bookkeeping of the operator.
const (
	// AnnotationContentHash on a copy is the hash of everything that was applied to it but this annotation, the namespace
	// and the place. A copy that bears the wanted hash needs no request after a restart.
	AnnotationContentHash = Domain + "/content-hash"

	// AnnotationWrittenKinds on a rule lists the kinds it may have copies of, as "<Kind>[.<group>]" separated by
	// commas, so that a change of the source's kind leaves no copy behind.
	AnnotationWrittenKinds = Domain + "/written-kinds"
)

// Finalizers hold a rule until its copies are gone. Nothing but our own kinds carries one.
const (
	FinalizerProjection        = Domain + "/finalizer"
	FinalizerClusterProjection = Domain + "/cluster-finalizer"
)
