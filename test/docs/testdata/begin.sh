# Applies a policy, waits until it is enforced, applies the rules, and waits until the good ones among them are ready.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

kubectl apply -f policy.yaml
while kubectl -n tenant-a create configmap forbidden --dry-run=server; do :; done
kubectl apply -f reasons.yaml
kubectl -n tenant-a wait --for=condition=Ready --timeout=60s \
  projection/{deleted,app-config,fixed,handed-over,given-away,kept,edited,removed,renamed,outlives,clings,kept-config,starter} clusterprojection/recreated
