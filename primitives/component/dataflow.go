package component

import (
	"fmt"
	"slices"

	"projection.sh/operator/primitives/concepts"
)

// dataFlow is which resources of a component put values into which cells, and which read them.
type dataFlow struct {
	cells []concepts.DataCell // each once, in the order of declaration
	edges []concepts.DataEdge // in the order of the first producers
}

// newDataFlow follows the resources in the order in which they are reconciled. A resource reads before it writes, so it
// cannot read what only itself or a later one produces.
func newDataFlow(component string, reconciled []registration) (dataFlow, []error) {
	var flow dataFlow
	var faults []error
	for _, r := range reconciled {
		if consumer, ok := r.resource.(concepts.DataConsumer); ok {
			for _, read := range consumer.ConsumedData() {
				faults = append(faults, flow.read(component, r.identity, read))
			}
		}
		if producer, ok := r.resource.(concepts.DataProducer); ok {
			for _, cell := range producer.ProducedData() {
				faults = append(faults, flow.write(component, r.identity, cell))
			}
		}
	}
	return flow, faults
}

func (f *dataFlow) read(component, identity string, read concepts.DataConsumption) error {
	if isNil(read.Cell) {
		return fmt.Errorf("resource %q in component %q declares a nil data cell read", identity, component)
	}
	if err := f.declare(component, identity, read.Cell); err != nil {
		return err
	}
	edge := f.edge(read.Cell.Name())
	if edge == nil {
		return fmt.Errorf("resource %q reads data %q but no earlier resource produces it", identity, read.Cell.Name())
	}
	readers := &edge.Guarded
	if read.Optional {
		readers = &edge.Optional
	}
	*readers = appendNew(*readers, []string{identity})
	return nil
}

func (f *dataFlow) write(component, identity string, cell concepts.DataCell) error {
	if isNil(cell) {
		return fmt.Errorf("resource %q in component %q declares a nil data cell write", identity, component)
	}
	if err := f.declare(component, identity, cell); err != nil {
		return err
	}
	edge := f.edge(cell.Name())
	if edge == nil {
		f.edges = append(f.edges, concepts.DataEdge{Data: cell.Name(), Producers: []string{identity}})
		return nil
	}
	edge.Producers = appendNew(edge.Producers, []string{identity})
	return nil
}

// declare refuses a cell that has the name of another one.
func (f *dataFlow) declare(component, identity string, cell concepts.DataCell) error {
	if slices.Contains(f.cells, cell) {
		return nil
	}
	if slices.ContainsFunc(f.cells, func(known concepts.DataCell) bool { return known.Name() == cell.Name() }) {
		return fmt.Errorf("resource %q in component %q declares data %q, but a distinct cell already uses that name; "+
			"data names must be unique within a component", identity, component, cell.Name())
	}
	f.cells = append(f.cells, cell)
	return nil
}

func (f *dataFlow) edge(data string) *concepts.DataEdge {
	i := slices.IndexFunc(f.edges, func(edge concepts.DataEdge) bool { return edge.Data == data })
	if i < 0 {
		return nil
	}
	return &f.edges[i]
}

// clear takes the values away that an earlier convergence has left.
func (f *dataFlow) clear() {
	for _, cell := range f.cells {
		cell.Clear()
	}
}

var _ concepts.DataInspector = (*Component)(nil)

// DataTopology returns, for each cell that a resource declares, which resources put a value into it and which read it. The
// cells are in the order of their first producers, the resources in the order of registration. Resources to be deleted or
// orphaned do not count.
func (c *Component) DataTopology() []concepts.DataEdge {
	topology := make([]concepts.DataEdge, 0, len(c.data.edges))
	for _, edge := range c.data.edges {
		edge.Producers, edge.Guarded, edge.Optional = slices.Clone(edge.Producers), slices.Clone(edge.Guarded), slices.Clone(edge.Optional)
		topology = append(topology, edge)
	}
	return topology
}
