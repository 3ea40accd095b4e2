package fleetsim_test

import "net/http"

// step is one request of a script. In its path and body, $name.version and $name.uid stand for those of the object in the answer to the step of
// that name.
type step struct {
	name   string // empty: nobody refers to it
	method string
	path   string
	accept string // empty: JSON
	sends  string // the Content-Type
	body   string
}

// Formats.
const (
	asMetadata     = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
	asMetadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
	asJSON         = "application/json"
	asApply        = "application/apply-patch+yaml"
	asMerge        = "application/merge-patch+json"
	asPatch        = "application/json-patch+json"
)

// Paths.
const (
	spaces  = "/api/v1/namespaces"
	configs = spaces + "/compared/configmaps"
	hidden  = spaces + "/compared/secrets"
	held    = "/apis/coordination.k8s.io/v1/namespaces/compared/leases"
	ours    = "?fieldManager=ours&force=true"
)

func configMap(name, version, rest string) string {
	if version != "" {
		version = `"resourceVersion":"` + version + `",`
	}
	return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{` + version + `"name":"` + name + `","namespace":"compared"` + rest + `}`
}

func get(path, accept string) step { return step{method: http.MethodGet, path: path, accept: accept} }

func post(name, path, body string) step {
	return step{name: name, method: http.MethodPost, path: path, sends: asJSON, body: body}
}

func patch(name, path, sends, body string) step {
	return step{name: name, method: http.MethodPatch, path: path, sends: sends, body: body}
}

func put(name, path, body string) step {
	return step{name: name, method: http.MethodPut, path: path, sends: asJSON, body: body}
}

func remove(path, body string) step {
	return step{method: http.MethodDelete, path: path, sends: asJSON, body: body}
}

const labelled = `,"labels":{"copy":"yes"},"annotations":{"owner":"rule"}},"data":{"a":"1","b":"2"}`

// script is the requests that are compared, in order.
var script = []step{
	get(spaces+"/nowhere", ""),
	get(spaces+"/compared", asMetadata),
	post("", configs, configMap("early", "", "}")),
	post("space", spaces, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"compared","labels":{"team":"a"}}}`),
	post("", spaces, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"compared"}}`),
	get(spaces+"/compared", asMetadata),
	get(spaces+"?labelSelector=team%3Da", asMetadataList),
	get(spaces+"?fieldSelector=metadata.name%3Dcompared", asMetadataList),

	// A copy: created onto nothing only, and changed in the version that was seen only.
	patch("dry", configs+"/copy"+ours+"&dryRun=All", asApply, configMap("copy", "1", labelled)),
	get(configs+"/copy", ""),
	patch("made", configs+"/copy"+ours, asApply, configMap("copy", "1", labelled)),
	patch("", configs+"/copy"+ours, asApply, configMap("copy", "1", labelled)),
	patch("", configs+"/copy"+ours+"&dryRun=All", asApply, configMap("copy", "1", labelled)),
	get(configs+"/copy", ""),
	get(configs+"/copy", asMetadata),
	patch("same", configs+"/copy"+ours, asApply, configMap("copy", "$made.version", labelled)),
	patch("next", configs+"/copy"+ours, asApply, configMap("copy", "$made.version", `,"labels":{"copy":"yes"}},"data":{"a":"2"}`)),
	patch("", configs+"/copy"+ours, asApply, configMap("copy", "$made.version", labelled)),
	patch("", configs+"/copy?fieldManager=others", asApply, configMap("copy", "", `},"data":{"a":"3"}`)),
	patch("", configs+"/copy?fieldManager=others", asApply, configMap("copy", "", `},"data":{"c":"3"}`)),
	patch("drift", configs+"/copy", asMerge, `{"data":{"a":"4","d":null},"metadata":{"labels":{"mine":"yes"}}}`),
	patch("", configs+"/copy", asMerge, `{"data":{"a":"4"}}`),
	get(configs+"/copy", asMetadata),
	patch("repaired", configs+"/copy"+ours, asApply, configMap("copy", "$drift.version", `,"labels":{"copy":"yes"}},"data":{"a":"2"}`)),
	patch("", configs+"/copy", asMerge, `{"metadata":{"resourceVersion":"$made.version"},"data":{"a":"5"}}`),
	patch("", configs+"/copy", asMerge, `{"metadata":{"uid":"00000000-0000-0000-0000-000000000000"},"data":{"a":"5"}}`),
	patch("", configs+"/copy", asPatch, `[{"op":"replace","path":"/data/a","value":"6"},{"op":"replace","path":"/metadata/resourceVersion","value":"$repaired.version"}]`),
	patch("", configs+"/copy", asPatch, `[{"op":"replace","path":"/metadata/managedFields","value":[{}]}]`),
	patch("inherited", configs+"/copy"+ours, asApply, configMap("copy", "", `},"data":{"a":"2"}`)),
	patch("", configs+"/copy", "text/plain", `{}`),
	patch("", configs+"/copy", asApply, configMap("copy", "", "}")),
	patch("", configs+"/missing", asMerge, `{"data":{"a":"4"}}`),
	patch("", configs+"/other"+ours, asApply, configMap("copy", "", "}")),
	patch("", configs+"/void"+ours, asApply, configMap("void", "", `,"uid":"00000000-0000-0000-0000-000000000000"}`)),
	patch("", spaces+"/nowhere/configmaps/copy"+ours, asApply, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"copy","namespace":"nowhere"}}`),

	post("", configs, configMap("plain", "", `,"labels":{"copy":"no"}},"data":{"a":"1"}`)),
	post("", configs, configMap("plain", "", "}")),
	post("", configs, configMap("versioned", "5", "}")),
	get(configs, asMetadataList),
	get(configs, ""),
	get(configs+"?labelSelector=copy%3Dyes", asMetadataList),
	get(configs+"?limit=1", asMetadataList),
	get("/api/v1/configmaps?labelSelector=copy%3Dno", asMetadataList),
	put("", configs+"/plain", configMap("plain", "", `},"data":{"a":"2"}`)),
	put("", configs+"/plain", configMap("plain", "1", `},"data":{"a":"3"}`)),
	put("", configs+"/plain", configMap("plain", "", `,"uid":"00000000-0000-0000-0000-000000000000"},"data":{"a":"3"}`)),
	patch("", configs+"/plain"+ours, asApply, configMap("plain", "", `,"uid":"00000000-0000-0000-0000-000000000000"},"data":{"a":"3"}`)),
	put("", configs+"/missing", configMap("missing", "", `},"data":{"a":"3"}`)),

	// Secrets are encoded.
	patch("secret", hidden+"/keys"+ours, asApply,
		`{"apiVersion":"v1","kind":"Secret","metadata":{"name":"keys","namespace":"compared","resourceVersion":"1"},"data":{"k":"dmFsdWU="}}`),
	get(hidden+"/keys", ""),

	// The lease, and the question whether an apply checks its resourceVersion.
	get(held+"/hub", ""),
	post("lease", held, `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"hub"},"spec":{"holderIdentity":"a"}}`),
	put("renewed", held+"/hub", lease("$lease.version", "a")),
	put("", held+"/hub", lease("$lease.version", "b")),
	put("", held+"/hub", lease("", "b")),
	patch("", held+"/hub"+ours+"&dryRun=All", asApply, lease("1", "a")),
	patch("", held+"/absent"+ours+"&dryRun=All", asApply,
		`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"absent","namespace":"compared","resourceVersion":"1"},"spec":{"holderIdentity":"a"}}`),

	// Watches.
	get(configs+"?watch=true&timeoutSeconds=1&resourceVersion=$made.version", asMetadata),
	get(configs+"?watch=true&timeoutSeconds=1&resourceVersion=$made.version&labelSelector=copy%3Dyes", asMetadata),
	get(configs+"?watch=true&timeoutSeconds=1&resourceVersion=$drift.version&fieldSelector=metadata.name%3Dplain", ""),
	get(configs+"?watch=true&timeoutSeconds=1", asMetadata),
	get(configs+"?watch=true&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan", asMetadata),

	// Deletions.
	remove(configs+"/copy", `{"preconditions":{"uid":"00000000-0000-0000-0000-000000000000"}}`),
	remove(configs+"/copy", `{"preconditions":{"uid":"$made.uid","resourceVersion":"$made.version"}}`),
	remove(configs+"/copy?dryRun=All", ""),
	remove(configs+"/copy", `{"preconditions":{"uid":"$made.uid","resourceVersion":"$inherited.version"},"propagationPolicy":"Background"}`),
	remove(configs+"/copy", ""),
	post("kept", configs, configMap("kept", "", `,"finalizers":["example.com/keep"]}`)),
	remove(configs+"/kept", ""),
	patch("", configs+"/kept", asMerge, `{"metadata":{"finalizers":null}}`),
	get(configs+"/kept", ""),
	get(configs+"?watch=true&timeoutSeconds=1&resourceVersion=$kept.version", asMetadata),
	remove(spaces+"/compared", ""),
	get(spaces+"/compared", asMetadata),
	patch("", configs+"/late"+ours, asApply, configMap("late", "1", "}")),

	// What there is besides.
	get("/api/v1/nothings", ""),
	get("/apis/nothing.example.com/v1/nothings", ""),
	get("/api", ""),
	post("", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
		`{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":{"resourceAttributes":{"verb":"get","resource":"secrets"}}}`),
}

func lease(version, holder string) string {
	return `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"hub","namespace":"compared","resourceVersion":"` + version +
		`"},"spec":{"holderIdentity":"` + holder + `"}}`
}
