# Restores the CRD, deletes the policy, and removes by hand the finalizers of objects that nobody is allowed or able to delete.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

kubectl patch crd projections.projection.sh --type=json \
  --patch '[{"op": "remove", "path": "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/newField"}]'
kubectl delete -f policy.yaml
kubectl delete crd widgets.example.com
until kubectl -n tenant-a delete configmap kept --ignore-not-found; do :; done
for held in tenant-a/projection/no-right-to-read tenant-a/projection/no-right-to-look tenant-b/projection/no-right-to-write \
  tenant-a/configmap/leaving tenant-y/configmap/holding; do
  IFS=/ read -r namespace kind name <<<"$held"
  kubectl -n "$namespace" patch "$kind" "$name" --type=merge --patch '{"metadata":{"finalizers":null}}'
done
