// Package e2e installs the operator as people do, and tells their stories with kubectl: the chart goes into a real control
// plane by helm, the manager runs as a process with the arguments of the Deployment and a token of its service account, and
// everybody has the rights that their roles give them.
//
// What a node would do is done here: no kubelet runs, so no image is pulled and no probe is made. It costs about a minute.
package e2e
