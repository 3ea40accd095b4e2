package feature

// All returns a gate that is open when every gate is open. Without gates it is open, and a nil gate counts as open, as
// for a Mutation. All gates are asked: an error of one of them, the first in the order given, comes before every answer.
func All(gates ...Gate) Gate {
	return gateFunc(func() (bool, error) {
		open, err := countOpen(gates)
		return err == nil && open == len(gates), err
	})
}

// Any returns a gate that is open when at least one gate is open. Without gates it is closed. Nil gates and errors are
// treated as All treats them.
func Any(gates ...Gate) Gate {
	return gateFunc(func() (bool, error) {
		open, err := countOpen(gates)
		return err == nil && open > 0, err
	})
}

// Not returns a gate that is open when the gate is closed. An error stays an error. The opposite of nil is closed.
func Not(gate Gate) Gate {
	return gateFunc(func() (bool, error) {
		open, err := countOpen([]Gate{gate})
		return err == nil && open == 0, err
	})
}

type gateFunc func() (bool, error)

// Enabled calls the function.
func (f gateFunc) Enabled() (bool, error) { return f() }

// countOpen asks all gates and returns how many are open, or the first error.
func countOpen(gates []Gate) (int, error) {
	open := 0
	for _, gate := range gates {
		if gate == nil {
			open++
			continue
		}
		enabled, err := gate.Enabled()
		if err != nil {
			return 0, err
		}
		if enabled {
			open++
		}
	}
	return open, nil
}
