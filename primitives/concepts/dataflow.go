package concepts

// DataConsumption is the declaration of a resource that it reads a cell.
type DataConsumption struct {
	// Cell is what it reads.
	Cell DataCell
	// Optional means that it does not wait for a value.
	Optional bool
}

// DataProducer is a resource that puts values into cells.
type DataProducer interface {
	// ProducedData returns the cells in the order of declaration, each once.
	ProducedData() []DataCell
}

// DataConsumer is a resource that reads cells.
type DataConsumer interface {
	// ConsumedData returns what was declared, in that order.
	ConsumedData() []DataConsumption
}

// DataEdge is one cell, and the identities of the resources that declare it.
type DataEdge struct {
	// Data is the name of the cell.
	Data string
	// Producers put a value into it; the last one that did wins.
	Producers []string
	// Guarded resources wait for a value.
	Guarded []string
	// Optional resources read it without waiting.
	Optional []string
}

// DataInspector can tell how data flows between resources.
type DataInspector interface {
	// DataTopology returns an edge for each cell.
	DataTopology() []DataEdge
}
