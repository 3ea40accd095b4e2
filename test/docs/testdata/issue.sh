# Does what cert-manager does for the only Certificate: issues it into its Secret, and says so in the status.
until copy=$(kubectl get certificates --all-namespaces -o jsonpath='{.items[0].metadata.namespace}/{.items[0].metadata.name}/{.items[0].spec.secretName}' 2>/dev/null); do
  sleep 0.1
done
IFS=/ read -r namespace name secret <<<"$copy"
test "$(kubectl -n "$namespace" get certificate "$name" -o jsonpath='{.spec.issuerRef.name}')" = corp-ca
test "$secret" != www-tls
kubectl -n "$namespace" create secret generic "$secret" --type=kubernetes.io/tls --from-literal=tls.crt=certificate --from-literal=tls.key=key
kubectl -n "$namespace" patch certificate "$name" --subresource=status --type=merge \
  -p '{"status": {"failedIssuanceAttempts": 1, "conditions": [{"type": "Ready", "status": "True"}]}}'
