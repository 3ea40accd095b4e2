package property_test

import (
	"context"
	"errors"
	"syscall"

	"github.com/stretchr/testify/require"

	"projection.sh/operator/test/env/manager"
	"projection.sh/operator/test/failpoint"
)

// start runs an operator, if none runs, and returns when it is ready. While there are faults, nobody can wait for that.
func (d *driver) start() {
	d.t.Helper()
	defer d.standBy()
	if d.alive() || d.takeOver() {
		return
	}
	if d.stormy || d.forbidden || d.usesStaleServer() {
		d.operator = manager.Start(d.config, d.adapt)
		return
	}
	var err error
	d.operator, err = manager.StartReady(context.Background(), d.config, d.adapt)
	require.NoError(d.t, err)
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
		if err := d.operator.Stop(); !d.disturbed() && !errors.Is(err, syscall.EADDRINUSE) {
			require.NoError(d.t, err)
		}
	default:
		return true
	}
	d.stop((*manager.InProcess).Kill)
	return false
}

// disturbed reports whether requests of the operator can fail without its fault.
func (d *driver) disturbed() bool { return d.proxy != nil || d.switchover != nil }

func (d *driver) stop(how func(*manager.InProcess)) {
	if d.operator != nil {
		how(d.operator)
		d.operator = nil
	}
}

func (d *driver) restart() {
	again := d.chance(50)
	d.stop(func(m *manager.InProcess) {
		err := m.Stop()
		select {
		case <-m.Tripped():
		default:
			if !d.disturbed() {
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
	d.stop((*manager.InProcess).Kill)
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
