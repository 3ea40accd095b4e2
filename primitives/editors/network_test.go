package editors_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"projection.sh/operator/primitives/editors"
)

func TestServicePorts(t *testing.T) {
	udp := corev1.ServicePort{Port: 53, Protocol: corev1.ProtocolUDP}
	for name, test := range map[string]struct {
		ports []corev1.ServicePort
		port  corev1.ServicePort
		want  []corev1.ServicePort
	}{
		"the first":     {nil, corev1.ServicePort{Port: 80}, []corev1.ServicePort{{Port: 80}}},
		"by its name":   {[]corev1.ServicePort{{Name: "web", Port: 80}}, corev1.ServicePort{Name: "web", Port: 81}, []corev1.ServicePort{{Name: "web", Port: 81}}},
		"another name":  {[]corev1.ServicePort{{Port: 80}}, corev1.ServicePort{Name: "web", Port: 80}, []corev1.ServicePort{{Port: 80}, {Name: "web", Port: 80}}},
		"TCP by itself": {[]corev1.ServicePort{udp, {Port: 53, Protocol: corev1.ProtocolTCP}}, corev1.ServicePort{Port: 53, NodePort: 1}, []corev1.ServicePort{udp, {Port: 53, NodePort: 1}}},
		"UDP":           {[]corev1.ServicePort{{Port: 53}}, udp, []corev1.ServicePort{{Port: 53}, udp}},
		"a named one":   {[]corev1.ServicePort{{Name: "web", Port: 80}}, corev1.ServicePort{Port: 80}, []corev1.ServicePort{{Port: 80}}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := corev1.ServiceSpec{Ports: test.ports}
			editors.NewServiceSpecEditor(&spec).EnsurePort(test.port)
			assert.Equal(t, test.want, spec.Ports)
		})
	}
	spec := corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "a", Port: 1}, {Port: 2}, {Port: 3}}}
	editor := editors.NewServiceSpecEditor(&spec)
	editor.RemovePort("")
	editor.RemovePort("absent")
	assert.Equal(t, []corev1.ServicePort{{Name: "a", Port: 1}, {Port: 3}}, spec.Ports, "the first without a name")
	editor.RemovePort("a")
	editor.RemovePort("")
	assert.Nil(t, spec.Ports)
}

func TestServiceSpec(t *testing.T) {
	spec := corev1.ServiceSpec{}
	config := &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{}}
	editor := editors.NewServiceSpecEditor(&spec)
	editor.SetType(corev1.ServiceTypeNodePort)
	editor.SetSelector(map[string]string{"a": "1", "b": "2"})
	editor.EnsureSelector("a", "3")
	editor.RemoveSelector("b")
	editor.SetSessionAffinity(corev1.ServiceAffinityClientIP)
	editor.SetSessionAffinityConfig(config)
	editor.SetPublishNotReadyAddresses(true)
	editor.SetExternalTrafficPolicy(corev1.ServiceExternalTrafficPolicyLocal)
	editor.SetInternalTrafficPolicy(new(corev1.ServiceInternalTrafficPolicyLocal))
	editor.SetLoadBalancerSourceRanges([]string{"::/0"})
	editor.SetExternalName("n")
	assert.Equal(t, corev1.ServiceSpec{
		Type: corev1.ServiceTypeNodePort, Selector: map[string]string{"a": "3"}, SessionAffinity: corev1.ServiceAffinityClientIP,
		SessionAffinityConfig: config, PublishNotReadyAddresses: true, ExternalTrafficPolicy: corev1.ServiceExternalTrafficPolicyLocal,
		InternalTrafficPolicy: new(corev1.ServiceInternalTrafficPolicyLocal), LoadBalancerSourceRanges: []string{"::/0"}, ExternalName: "n",
	}, spec)
	editor.SetInternalTrafficPolicy(nil)
	editor.SetSessionAffinityConfig(nil)
	editor.RemoveSelector("a")
	assert.Nil(t, spec.InternalTrafficPolicy)
	assert.Nil(t, spec.SessionAffinityConfig)
	assert.Nil(t, spec.Selector)
}

func TestIngressSpec(t *testing.T) {
	rule := func(host, path string) networkingv1.IngressRule {
		return networkingv1.IngressRule{Host: host, IngressRuleValue: networkingv1.IngressRuleValue{
			HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{{Path: path}}},
		}}
	}
	entry := func(secret string, hosts ...string) networkingv1.IngressTLS {
		return networkingv1.IngressTLS{SecretName: secret, Hosts: hosts}
	}
	spec := networkingv1.IngressSpec{}
	editor := editors.NewIngressSpecEditor(&spec)
	editor.SetIngressClassName("c")
	editor.SetDefaultBackend(&networkingv1.IngressBackend{})
	for _, r := range []networkingv1.IngressRule{rule("a", "/1"), rule("", "/2"), rule("a", "/3"), rule("", "/4")} {
		editor.EnsureRule(r)
	}
	for _, e := range []networkingv1.IngressTLS{entry("1", "a", "b"), entry("2", "b"), entry("3", "a"), entry("4")} {
		editor.EnsureTLS(e)
	}
	assert.Equal(t, networkingv1.IngressSpec{
		IngressClassName: new("c"), DefaultBackend: &networkingv1.IngressBackend{},
		Rules: []networkingv1.IngressRule{rule("a", "/3"), rule("", "/4")},
		TLS:   []networkingv1.IngressTLS{entry("3", "a"), entry("2", "b")},
	}, spec)

	spec.Rules, spec.TLS = append(spec.Rules, rule("a", "/5")), append(spec.TLS, entry("5", "c"), entry("6"))
	editor.SetDefaultBackend(nil)
	editor.RemoveRule("a")
	editor.RemoveRule("absent")
	editor.RemoveTLS("a", "c", "absent")
	assert.Nil(t, spec.DefaultBackend)
	assert.Equal(t, []networkingv1.IngressRule{rule("", "/4"), rule("a", "/5")}, spec.Rules, "the first one goes")
	assert.Equal(t, []networkingv1.IngressTLS{entry("2", "b"), entry("6")}, spec.TLS)
}

func TestNetworkPolicySpec(t *testing.T) {
	spec := networkingv1.NetworkPolicySpec{}
	pods := metav1.LabelSelector{MatchLabels: map[string]string{"a": "1"}}
	in, out := networkingv1.NetworkPolicyIngressRule{}, networkingv1.NetworkPolicyEgressRule{}
	editor := editors.NewNetworkPolicySpecEditor(&spec)
	editor.SetPodSelector(pods)
	editor.SetPolicyTypes([]networkingv1.PolicyType{networkingv1.PolicyTypeEgress})
	for range 2 {
		editor.AppendIngressRule(in)
		editor.AppendEgressRule(out)
	}
	assert.Equal(t, networkingv1.NetworkPolicySpec{
		PodSelector: pods, PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
		Ingress: []networkingv1.NetworkPolicyIngressRule{in, in}, Egress: []networkingv1.NetworkPolicyEgressRule{out, out},
	}, spec)
	editor.RemoveIngressRules()
	editor.RemoveEgressRules()
	assert.Nil(t, spec.Ingress)
	assert.Nil(t, spec.Egress)
}
