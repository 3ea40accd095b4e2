package browser_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const secret = "a-value-that-is-never-shown"

// populate makes rules with many namespaces, of which some have failed.
func populate(ctx context.Context, dir string) error {
	var world strings.Builder
	world.WriteString(`
apiVersion: v1
kind: Namespace
metadata: {name: platform}
---
apiVersion: v1
kind: Namespace
metadata: {name: projection-system}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: projection-info, namespace: projection-system}
data:
  version: v0.1.0
  source-mode: allowlist
  selector-excluded-namespaces: kube-system,kube-public,kube-node-lease
  watch-label-selector: ""
---
apiVersion: v1
kind: ConfigMap
metadata: {name: app-config, namespace: platform, annotations: {projection.sh/projectable: "true"}}
data: {log-level: info}
---
apiVersion: v1
kind: Secret
metadata: {name: ca, namespace: platform, annotations: {projection.sh/projectable: "true"}}
stringData: {ca.crt: ` + secret + `}
`)
	for i := range 450 {
		fmt.Fprintf(&world, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: web-%03d, labels: {team: web}}\n", i)
		if i%40 == 0 {
			fmt.Fprintf(&world, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: app-config, namespace: web-%03d}\ndata: {log-level: debug}\n", i)
		}
	}
	for i := range 12 {
		fmt.Fprintf(&world, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: legacy-%02d}\n", i)
	}
	world.WriteString(`
---
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: base}
spec:
  source: {kind: ConfigMap, namespace: platform, name: app-config}
  destination: {namespaceSelector: {matchLabels: {team: web}}}
---
apiVersion: projection.sh/v1alpha1
kind: RemoteCluster
metadata: {name: eu-1}
spec: {access: {kubeconfig: {secret: eu-1-kubeconfig}}}
---
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: ca}
spec:
  source: {kind: Secret, namespace: platform, name: ca}
  destination: {namespaces: [web-001, web-002]}
---
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: paused}
spec:
  source: {kind: ConfigMap, namespace: platform, name: app-config}
  destination: {namespaces: [legacy-00], name: paused-config}
  suspend: true
---
apiVersion: projection.sh/v1
kind: Projection
metadata: {name: lost, namespace: legacy-01}
spec:
  source: {kind: ConfigMap, namespace: platform, name: nothing}
`)
	file := filepath.Join(dir, "world.yaml")
	if err := os.WriteFile(file, []byte(world.String()), 0o600); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"apply", "--server-side", "-f", file},
		{"wait", "--for=condition=Ready=false", "--timeout=120s", "clusterprojection/base"},
		{"wait", "--for=condition=Ready", "--timeout=120s", "clusterprojection/ca"},
	} {
		if said, err := cluster.Kubectl(ctx, args...); err != nil {
			return fmt.Errorf("%w: %s", err, said)
		}
	}
	return nil
}
