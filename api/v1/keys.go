package v1

// Domain is the API group, and the prefix of every label, annotation and finalizer of Projection.
const Domain = "projection.sh"

// Annotation by which the owner of a source opts it in or out.
const (
	// AnnotationProjectable opts a source in ("true"), in for the namespaces that a label selector selects
	// ("namespaces: team=shop"), or out ("false"). An opt-out and a selector apply in every source mode.
	AnnotationProjectable = Domain + "/projectable"

	// ProjectableTrue is the value that opts in.
	ProjectableTrue = "true"
	// ProjectableFalse is the value that opts out.
	ProjectableFalse = "false"
	// ProjectableNamespaces begins the value that opts in for some namespaces. A label selector follows.
	ProjectableNamespaces = "namespaces:"
)

// AnnotationExportable opts a source in for other clusters: "true" for all of them, or the hub ids of some, separated by commas. The hub id of a
// cluster is the uid of its namespace kube-system. "false" opts out. It is needed besides AnnotationProjectable, in every source mode.
const AnnotationExportable = Domain + "/exportable"

// AnnotationPublicKeys on a Secret lists the keys, separated by commas, that its owner lets rules copy into a ConfigMap. It is needed
// besides AnnotationProjectable.
const AnnotationPublicKeys = Domain + "/public-keys"

// Ownership of a copy. The annotation decides; the label only lets the API server select the operator's copies.
const (
	// AnnotationOwnedByProjection names the Projection that owns a copy as <namespace>/<name>.
	AnnotationOwnedByProjection = Domain + "/owned-by-projection"
	// AnnotationOwnedByClusterProjection names the ClusterProjection that owns a copy.
	AnnotationOwnedByClusterProjection = Domain + "/owned-by-cluster-projection"

	// AnnotationPlace holds the namespace and name of a copy as <namespace>/<name>. If they are not those of the object itself,
	// somebody created the object from a copy. It is a foreign object, whatever its other labels and annotations are.
	AnnotationPlace = Domain + "/place"

	// LabelOwnedByProjectionUID holds the uid of the Projection that owns a copy.
	LabelOwnedByProjectionUID = Domain + "/owned-by-projection-uid"
	// LabelOwnedByClusterProjectionUID holds the uid of the ClusterProjection that owns a copy.
	LabelOwnedByClusterProjectionUID = Domain + "/owned-by-cluster-projection-uid"
)

// Ownership of a copy that was written from another cluster. An operator that runs in the cluster of the copy does not take it for its own.
const (
	// AnnotationOwnedByRemote names the rule that owns a copy as <hub id>/<kind>/<name>. The hub id is the uid of the namespace kube-system in the
	// cluster of the rule.
	AnnotationOwnedByRemote = Domain + "/owned-by-remote"

	// LabelOwnedByHubPrefix is followed by the hub id. The value of the label is the uid of the rule. By it, the API server selects the copies of one
	// hub, or of one rule; it does not decide who owns a copy.
	LabelOwnedByHubPrefix = Domain + "/hub-"
)

// Copies of objects of consumers, and what concerns them.
const (
	// AnnotationOrigin on a copy that a PublishedResource made says where the object of the consumer is, as <identity>/<namespace>/<name>. The identity is
	// the uid of the namespace kube-system in the cluster of the consumer; the namespace of an object without one is empty.
	AnnotationOrigin = Domain + "/origin"
	// AnnotationOriginUID is the uid of that object. An object that was deleted and created again is another one.
	AnnotationOriginUID = Domain + "/origin-uid"
	// AnnotationAdoptableBy on an object names the PublishedResource that may take it over as a copy, if its adoption.policy is IfAllowed.
	AnnotationAdoptableBy = Domain + "/adoptable-by"
)

// AnnotationAbandon on a rule lists names of RemoteClusters, separated by commas. The rule does not wait for them: it gives up its copies there,
// which stay.
const AnnotationAbandon = Domain + "/abandon"

// Bookkeeping of the operator.
const (
	// AnnotationContentHash on a copy is the hash of everything that was applied to it except this annotation, the namespace,
	// the place, the source and its uid. After a restart, a copy with the wanted hash needs no request.
	AnnotationContentHash = Domain + "/content-hash"

	// AnnotationSource on a copy names its source as <Kind>[.<group>]/<namespace>/<name>, behind <cluster>: if it is in another cluster. On a copy in
	// another cluster than its rule, a hash is in the place of the names. The content hash does not cover it. A copy without it is in sync; one that names
	// another source is not.
	AnnotationSource = Domain + "/source"

	// AnnotationLayers on a copy of a rule with merge names the layers whose keys were laid to those of the source, in their order, as
	// AnnotationSource names the source, separated by commas, or "none" if there are none. The content hash does not cover it. A copy that names
	// other layers is not in sync.
	AnnotationLayers = Domain + "/layers"

	// AnnotationSourceUID on a Secret or an immutable ConfigMap that is a copy is the uid of the source that it was written from. The
	// content hash does not cover it.
	AnnotationSourceUID = Domain + "/source-uid"

	// AnnotationPublishedKeys on a ConfigMap that is a copy of a Secret lists the keys of the Secret that it may hold, separated by commas.
	// If the owner of the Secret does not declare all of them public any more, the operator deletes the copy, even if the rule cannot
	// be carried out.
	AnnotationPublishedKeys = Domain + "/published-keys"

	// AnnotationWrittenKinds on a rule lists the kinds of which it may have copies, as "<Kind>[.<group>]" separated by
	// commas, so that a change of the source's kind leaves no copy behind.
	AnnotationWrittenKinds = Domain + "/written-kinds"

	// AnnotationWrittenClusters on a rule lists the clusters in which it may have copies, as "<name>=<identity>" separated by commas: the name of the
	// RemoteCluster, and the uid of the namespace kube-system there. It is written before the first copy in a cluster is.
	AnnotationWrittenClusters = Domain + "/written-clusters"

	// AnnotationConsentingSource on a rule with policy.retain or merge names the source whose owner consented when the operator read it last, as
	// "<Kind>[.<group>]/<namespace>/<name>". If the owner consents no more, the operator removes it before it deletes a copy. A source that does
	// not exist consents only if it is named here.
	AnnotationConsentingSource = Domain + "/consenting-source"
)

// ConfigMapInfo is the name of the ConfigMap in which the operator describes its installation. It is in the operator's namespace. Its keys are
// "version" and the names of the flags that users notice.
const ConfigMapInfo = "projection-info"

// Finalizers keep a rule until its copies are deleted. Of the objects of users, the operator puts them on rules and RemoteClusters only.
const (
	FinalizerProjection        = Domain + "/finalizer"
	FinalizerClusterProjection = Domain + "/cluster-finalizer"
	FinalizerPublishedResource = Domain + "/publication"
)

// FinalizerPublished keeps an object of a consumer until its copy was deleted, if deletion.wait of the PublishedResource asks for that. It is the only one
// that the operator puts on objects of others.
const FinalizerPublished = Domain + "/published"

// FinalizerRemoteCluster keeps a RemoteCluster until no rule may have copies there.
const FinalizerRemoteCluster = Domain + "/remote-cluster"
