# Changes the rules of reasons.yaml and their objects, once the good ones among them are ready.
set -euo pipefail

kubectl -n platform delete configmap old-config
kubectl -n platform patch configmap app-config --type=merge --patch '{"data":{"log-level":"debug"}}'
kubectl -n tenant-a patch configmap fixed --type=merge --patch '{"immutable":true}'
kubectl -n tenant-a patch configmap recreated --type=merge --patch '{"immutable":true}'
kubectl -n platform patch configmap fixed --type=merge --patch '{"data":{"version":"2"}}'

kubectl -n tenant-a annotate configmap handed-over projection.sh/owned-by-projection-
kubectl -n tenant-a annotate configmap given-away projection.sh/owned-by-projection-
kubectl -n tenant-a wait --for=jsonpath='{.status.conditions[?(@.type=="Ready")].reason}'=DestinationConflict projection/given-away
kubectl -n tenant-a delete projection given-away
kubectl -n tenant-a delete projection outlives
kubectl -n tenant-a delete projection clings --wait=false
kubectl -n platform delete configmap kept-config
kubectl -n tenant-a patch projection renamed --type=merge --patch '{"spec":{"destination":{"name":"second"}}}'
kubectl -n tenant-a delete projection kept --wait=false
kubectl -n tenant-a delete configmap leaving --wait=false
kubectl delete namespace tenant-y --wait=false
kubectl apply -f - <<YAML
apiVersion: projection.sh/v1
kind: Projection
metadata: {name: leaving, namespace: tenant-a}
spec: {source: {kind: ConfigMap, namespace: platform, name: app-config}, destination: {name: leaving}}
---
apiVersion: projection.sh/v1
kind: ClusterProjection
metadata: {name: second-owner}
spec: {source: {kind: ConfigMap, namespace: platform, name: app-config}, destination: {namespaces: [tenant-a]}}
YAML

# Edits one copy and deletes another one, each time as soon as the operator has repaired it.
for again in 1 2 3 4 5; do
  kubectl -n tenant-a patch configmap edited --field-manager=kubectl-edit --type=merge --patch "{\"data\":{\"mode\":\"$again\"}}"
  kubectl -n tenant-a delete configmap removed
  kubectl -n tenant-a wait --for=jsonpath='{.data.mode}'=safe --timeout=60s configmap/edited
  kubectl -n tenant-a wait --for=create --timeout=60s configmap/removed
done

# A later version's CRD. It takes the API server a moment to apply it.
kubectl patch crd projections.projection.sh --type=json --patch '[{"op": "add", "value": {"type": "object", "properties": {"include":
  {"type": "string"}}}, "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/newField"}]'
until kubectl apply -f - <<YAML
apiVersion: projection.sh/v1
kind: Projection
metadata: {name: later, namespace: tenant-a}
spec: {source: {kind: ConfigMap, namespace: platform, name: app-config}, destination: {name: later}, newField: {include: log-level}}
YAML
do :; done
