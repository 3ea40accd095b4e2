package mutations_test

import (
	"testing"

	"projection.sh/operator/mutations"
)

func TestStripService(t *testing.T) {
	run(t, mutations.StripService, kind("", "Service"), []row{
		{
			name:   "addresses and families are allocated",
			before: `spec: {clusterIP: 10.0.0.7, clusterIPs: [10.0.0.7], ipFamilies: [IPv4], ipFamilyPolicy: SingleStack, type: ClusterIP}`,
			after:  `spec: {type: ClusterIP}`,
		},
		{
			name: "node ports are, the other fields of a port are not",
			before: `
spec:
  type: LoadBalancer
  healthCheckNodePort: 31000
  externalTrafficPolicy: Local
  loadBalancerIP: 192.0.2.1
  ports: [{name: a, port: 80, targetPort: web, nodePort: 30080}, {name: b, port: 53, protocol: UDP, nodePort: 30053}]`,
			after: `
spec:
  type: LoadBalancer
  externalTrafficPolicy: Local
  loadBalancerIP: 192.0.2.1
  ports: [{name: a, port: 80, targetPort: web}, {name: b, port: 53, protocol: UDP}]`,
		},
		{
			name:   "headless stays headless",
			before: `spec: {clusterIP: None, clusterIPs: [None], ipFamilies: [IPv4, IPv6], ipFamilyPolicy: RequireDualStack}`,
			after:  `spec: {clusterIP: None}`,
		},
		{name: "an external name has nothing to lose", before: `spec: {type: ExternalName, externalName: db.example.com}`},
		{name: "without addresses", before: `spec: {ports: [{port: 80}]}`},
	})
}
