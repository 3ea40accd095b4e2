package primitives_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

// words are what the handlers look for in specs and statuses.
var words = []string{
	"", "a", "b", "True", "False", "Unknown", "ScalingActive", "AbleToScale", "Running", "Succeeded", "Failed", "Bound", "Lost",
	"Available", "Released", "Pending", "LoadBalancer", "OnDelete", "RollingUpdate", "CrashLoopBackOff",
}

// TestHealthyIsHealthyByGrace compares the two statuses of objects with any spec and status. A converged resource that is not
// Healthy by grace would take its component down.
func TestHealthyIsHealthyByGrace(t *testing.T) {
	const objects = 3000
	for _, k := range slices.Concat(workloads(), integrations(), volumes()) {
		t.Run(k.identity, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2)) // the same objects in each run
			seen := map[bool]int{}
			for range objects {
				object := k.object()
				object.SetGeneration(random.Int64N(2))
				value := reflect.ValueOf(object).Elem()
				randomize(value.FieldByName("Spec"), random, 0)
				randomize(value.FieldByName("Status"), random, 0)
				healthy, status := converged(t, k, object, random)
				grace := graceOf(t, k, object)
				require.Equal(t, healthy, grace.Status == concepts.GraceStatusHealthy, "%v, %v by grace: %+v", status, grace, object)
				seen[healthy]++
			}
			assert.NotZero(t, seen[true], "never healthy")
			if k.identity != "batch/v1/CronJob/ns/name" {
				assert.NotZero(t, seen[false], "always healthy")
			}
		})
	}
}

func converged(t *testing.T, k kind, object client.Object, random *rand.Rand) (healthy bool, status any) {
	t.Helper()
	op := []concepts.ConvergingOperation{
		concepts.ConvergingOperationCreated, concepts.ConvergingOperationUpdated, concepts.ConvergingOperationNone,
	}[random.IntN(3)]
	switch observed := observe(t, k, object).(type) {
	case concepts.Alive:
		status, err := observed.ConvergingStatus(op)
		require.NoError(t, err)
		return status.Status == concepts.AliveConvergingStatusHealthy, status
	case concepts.Operational:
		status, err := observed.ConvergingStatus(op)
		require.NoError(t, err)
		return status.Status == concepts.OperationalStatusOperational, status
	default:
		require.Fail(t, "no status")
		return false, nil
	}
}

func graceOf(t *testing.T, k kind, object client.Object) concepts.GraceStatusWithReason {
	t.Helper()
	grace, err := observe(t, k, object).(concepts.Graceful).GraceStatus()
	require.NoError(t, err)
	return grace
}

func observe(t *testing.T, k kind, object client.Object) common {
	t.Helper()
	built := build(t, k, options{})
	require.NoError(t, built.RecordObservation(object))
	return built
}

// randomize puts small numbers and words that mean something into a value.
func randomize(value reflect.Value, random *rand.Rand, depth int) {
	if !value.CanSet() || depth > 6 {
		return
	}
	switch value.Kind() {
	case reflect.String:
		value.SetString(words[random.IntN(len(words))])
	case reflect.Bool:
		value.SetBool(random.IntN(2) == 0)
	case reflect.Int32, reflect.Int64:
		value.SetInt(random.Int64N(3))
	case reflect.Pointer:
		if random.IntN(2) == 0 {
			value.Set(reflect.New(value.Type().Elem()))
			randomize(value.Elem(), random, depth+1)
		}
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), random.IntN(3), 3))
		for i := range value.Len() {
			randomize(value.Index(i), random, depth+1)
		}
	case reflect.Struct:
		if value.Type().Name() == "PodTemplateSpec" || value.Type().Name() == "PodSpec" {
			return // no handler looks at it, but for the init containers of a Pod
		}
		for _, field := range value.Fields() {
			randomize(field, random, depth+1)
		}
	default:
	}
}
