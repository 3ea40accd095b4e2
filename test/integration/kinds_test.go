package integration_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"projection.sh/operator/test/env/fixture"
)

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example.com/web:1
        ports: [{containerPort: 80}, {containerPort: 80, protocol: UDP}]
        resources: {requests: {cpu: 1000m}}
`

// kinds are sources, a field of each that must be equal in the copy, and an edit.
var kinds = map[string]struct {
	source string
	equal  []string
	// absent are fields that belong to the source alone.
	absent [][]string
	edit   string
	edited []string
}{
	"ConfigMap": {source: strings.ReplaceAll(configMap, "settings", "it"), equal: []string{"data"}, edit: `{"data":{"color":"blue"}}`, edited: []string{"data", "color"}},
	"Secret": {
		source: `
apiVersion: v1
kind: Secret
metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
type: kubernetes.io/basic-auth
stringData: {username: u, password: p}
`, equal: []string{"data"}, edit: `{"data":{"password":"cQ=="}}`, edited: []string{"data", "password"},
	},
	"Service NodePort": {
		source: `
apiVersion: v1
kind: Service
metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec:
  type: NodePort
  selector: {app: web}
  ports: [{name: http, port: 80}, {name: https, port: 443}]
`, equal: []string{"spec", "selector"}, edit: `{"spec":{"selector":{"app":"shop"}}}`, edited: []string{"spec", "selector", "app"},
	},
	"Service headless": {
		source: `
apiVersion: v1
kind: Service
metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec: {clusterIP: None, selector: {app: db}, ports: [{port: 5432}]}
`, equal: []string{"spec", "clusterIP"}, edit: `{"spec":{"selector":{"app":"store"}}}`, edited: []string{"spec", "selector", "app"},
	},
	"Deployment": {
		source: strings.ReplaceAll(deployment, "{name: web, ", "{name: it, "),
		equal:  []string{"spec"}, edit: `{"spec":{"replicas":3}}`, edited: []string{"spec", "replicas"},
	},
	"Job": {
		source: `
apiVersion: batch/v1
kind: Job
metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec:
  suspend: true
  template:
    spec: {restartPolicy: Never, containers: [{name: once, image: registry.example.com/once:1}]}
`, equal: []string{"spec", "template", "spec"}, edit: `{"spec":{"parallelism":2}}`, edited: []string{"spec", "parallelism"},
	},
	"PersistentVolumeClaim": {
		source: `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec: {accessModes: [ReadWriteOnce], storageClassName: slow, resources: {requests: {storage: 1Gi}}}
`, equal: []string{"spec"}, edit: `{"metadata":{"labels":{"tier":"gold"}}}`, edited: []string{"metadata", "labels", "tier"},
	},
	"Role": {
		source: `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: "it:reader", namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get]}]
`, equal: []string{"rules"}, edit: `{"rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["list"]}]}`, edited: []string{"rules"},
	},
	"Ingress": {
		source: `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec:
  rules: [{host: a.example.com, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]
`, equal: []string{"spec"}, edit: `{"spec":{"ingressClassName":"inner"}}`, edited: []string{"spec", "ingressClassName"},
	},
	"NetworkPolicy": {
		source: `
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec: {podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {}}]}]}
`, equal: []string{"spec"}, edit: `{"spec":{"podSelector":{"matchLabels":{"app":"db"}}}}`, edited: []string{"spec", "podSelector", "matchLabels", "app"},
	},
	"custom resource": {
		source: `
apiVersion: example.com/v1
kind: Widget
metadata: {name: it, namespace: $HOME, annotations: {projection.sh/projectable: "true"}}
spec: {size: 3, nested: {list: [1, two, {three: 3}], "null": {}}}
`, equal: []string{"spec"}, edit: `{"spec":{"size":4}}`, edited: []string{"spec", "size"},
	},
}

func TestEveryKindGivesAnEqualCopyThatFollows(t *testing.T) {
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			source := w.Create(kind.source)
			rule := w.Project("rule", source)
			w.Ready(rule)
			copied := w.Exists(source, w.Away, source.GetName(), fixture.Anything)
			want, _, _ := unstructured.NestedFieldNoCopy(source.Object, kind.equal...)
			got, _, _ := unstructured.NestedFieldNoCopy(copied.Object, kind.equal...)
			assert.NotNil(t, want)
			assert.Equal(t, want, got)

			w.Merge(source, kind.edit)
			wanted, _, _ := unstructured.NestedFieldNoCopy(source.Object, kind.edited...)
			w.Exists(source, w.Away, source.GetName(), func(o *unstructured.Unstructured) bool {
				is, found, _ := unstructured.NestedFieldNoCopy(o.Object, kind.edited...)
				return found && assert.ObjectsAreEqual(wanted, is)
			})
			w.Ready(rule)

			before := w.Exists(source, w.Away, source.GetName(), fixture.Anything)
			w.Delete(before)
			w.Exists(source, w.Away, source.GetName(), func(o *unstructured.Unstructured) bool { return o.GetUID() != before.GetUID() })

			w.settles()
			assert.Empty(t, w.requestsOf(w.settles), "a copy in step needs no request")

			w.Delete(rule)
			w.gone(source, w.Away, source.GetName())
		})
	}
}
