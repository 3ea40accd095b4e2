package property_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/wait"

	"projection.sh/operator/cmd/manager/app"
	"projection.sh/operator/test/env"
	"projection.sh/operator/test/failpoint"
)

// start runs an operator, if none runs, and returns when it is ready. One that ends at once, because somebody else has
// taken its port, is replaced. While there are faults, nobody can wait for it to be ready.
func (d *driver) start() {
	d.t.Helper()
	if d.alive() {
		return
	}
	if d.stormy {
		d.operator = failpoint.Start(d.config, d.adapt("0"))
		return
	}
	for try := 1; ; try++ {
		port, err := env.FreePort()
		require.NoError(d.t, err)
		address := fmt.Sprintf("127.0.0.1:%d", port)
		d.operator = failpoint.Start(d.config, d.adapt(address))
		err = wait.PollUntilContextTimeout(context.Background(), 10*time.Millisecond, soon, true, d.ready("http://"+address+"/readyz"))
		if err == nil {
			return
		}
		require.Less(d.t, try, 3, "the operator does not get ready: %v", err)
	}
}

// adapt returns the operator's options, with the address of its probe.
func (d *driver) adapt(probe string) func(*app.Options) {
	return func(o *app.Options) {
		o.WatchLabelSelector = worldLabel + "=" + d.id
		o.HealthProbeBindAddress = probe
		o.RequeueInterval = 2 * time.Second
		d.options(o)
	}
}

// ready asks the operator's probe.
func (d *driver) ready(url string) wait.ConditionWithContextFunc {
	operator := d.operator
	return func(ctx context.Context) (bool, error) {
		select {
		case <-operator.Ended():
			return false, operator.Stop()
		default:
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return false, err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return false, nil // it does not listen yet
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK, nil
	}
}

// alive tells whether an operator runs. One whose failpoint has tripped is dead. One that has ended by itself could not
// have its port, which somebody else got who then answered for it, or met a fault.
func (d *driver) alive() bool {
	if d.operator == nil {
		return false
	}
	select {
	case <-d.operator.Tripped():
	case <-d.operator.Ended():
		if err := d.operator.Stop(); d.proxy == nil && !errors.Is(err, syscall.EADDRINUSE) {
			require.NoError(d.t, err)
		}
	default:
		return true
	}
	d.stop((*failpoint.Manager).Kill)
	return false
}

func (d *driver) stop(how func(*failpoint.Manager)) {
	if d.operator != nil {
		how(d.operator)
		d.operator = nil
	}
}

func (d *driver) restart() {
	again := d.chance(50)
	d.stop(func(m *failpoint.Manager) {
		err := m.Stop()
		select {
		case <-m.Tripped():
		default:
			if d.proxy == nil {
				require.NoError(d.t, err)
			}
		}
	})
	if again {
		d.start()
	}
	d.did(nil, "stop the operator, and start it again: %t", again)
}

func (d *driver) kill() {
	again := d.chance(50)
	d.stop((*failpoint.Manager).Kill)
	if again {
		d.start()
	}
	d.did(nil, "kill the operator, and start it again: %t", again)
}

// crash lets the operator die at one of its next writes, or lose an answer.
func (d *driver) crash() {
	write, mode, once := 1+d.rng.IntN(8), pick(d, []failpoint.Mode{failpoint.Before, failpoint.After}), d.chance(40)
	d.start()
	if once {
		d.operator.ArmOnce(write, mode)
		d.did(nil, "the operator loses the connection %s at its write %d", mode, write)
		return
	}
	d.operator.Arm(write, mode)
	d.did(nil, "the operator is killed %s at its write %d", mode, write)
}
