# Leaves a rule and its copy as be0x74a/projection does, and then lets the operator find them.
set -euo pipefail

kubectl create namespace platform
kubectl create namespace tenant-a
kubectl apply -f - <<'EOF'
apiVersion: v1
kind: ConfigMap
metadata:
  name: app-config
  namespace: platform
  annotations: {projection.sh/projectable: "true"}
data: {log-level: info}
---
apiVersion: projection.sh/v1
kind: Projection
metadata:
  name: app-config
  namespace: tenant-a
  finalizers: [projection.sh/finalizer]
  labels: {narrow: "true"}
spec:
  source: {group: "", version: v1, kind: ConfigMap, namespace: platform, name: app-config}
EOF
uid=$(kubectl -n tenant-a get projection app-config -o jsonpath='{.metadata.uid}')
kubectl create --field-manager=manager -f - <<EOF
apiVersion: v1
kind: ConfigMap
metadata:
  name: app-config
  namespace: tenant-a
  labels: {projection.sh/owned-by-projection-uid: $uid}
  annotations: {projection.sh/projectable: "true", projection.sh/owned-by-projection: tenant-a/app-config}
data: {log-level: info, banner: Maintenance on Sunday}
EOF
kubectl -n tenant-a label projection app-config narrow-
