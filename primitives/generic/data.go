package generic

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"projection.sh/operator/primitives/concepts"
)

// DataExtraction is a cell, and what puts a value into it.
type DataExtraction[T client.Object] struct {
	// Cell gets the value.
	Cell concepts.DataCell
	// Extract puts the value of the object into Cell. After an error it has left Cell as it was.
	Extract func(T) error
}

// ExtractInto declares that the resource puts a value into the cell. The function is called with a copy of the object right
// after that was applied or read. A nil cell or function is reported by Build.
func ExtractInto[T client.Object, M MutatorApplier, V any](b *BaseBuilder[T, M], cell *concepts.Data[V], fn func(T) (V, error)) {
	var extraction DataExtraction[T]
	if cell != nil {
		extraction.Cell = cell
	}
	if fn != nil {
		extraction.Extract = func(object T) error {
			value, err := fn(object)
			if err == nil {
				cell.Set(value)
			}
			return err
		}
	}
	b.BaseRes.DataExtractions = append(b.BaseRes.DataExtractions, extraction)
}

// WithDataGuard declares that the resource reads the cells and waits until each has a value. A nil cell is reported by
// ValidateBase.
func (b *BaseBuilder[T, M]) WithDataGuard(cells ...concepts.DataCell) { b.consume(false, cells) }

// WithOptionalData declares that the resource reads the cells, and does not wait for their values. A nil cell is reported by
// ValidateBase.
func (b *BaseBuilder[T, M]) WithOptionalData(cells ...concepts.DataCell) { b.consume(true, cells) }

func (b *BaseBuilder[T, M]) consume(optional bool, cells []concepts.DataCell) {
	for _, cell := range cells {
		b.BaseRes.DataConsumptions = append(b.BaseRes.DataConsumptions, concepts.DataConsumption{Cell: cell, Optional: optional})
	}
}

// validateData returns the first fault of the declared data.
func (r *BaseResource[T, M]) validateData() error {
	for _, extraction := range r.DataExtractions {
		if extraction.Cell == nil {
			return errors.New("declared data extraction requires a non-nil cell")
		}
		if extraction.Extract == nil {
			return fmt.Errorf("declared data extraction into %q requires a non-nil extraction function", extraction.Cell.Name())
		}
	}
	for _, consumption := range r.DataConsumptions {
		if isNil(consumption.Cell) {
			return errors.New("declared data read (WithDataGuard or WithOptionalData) requires a non-nil cell")
		}
	}
	return nil
}

// ProducedData returns the cells that the resource puts values into, in the order of declaration, each once.
func (r *BaseResource[T, M]) ProducedData() []concepts.DataCell {
	var cells []concepts.DataCell
	for _, extraction := range r.DataExtractions {
		if !slices.Contains(cells, extraction.Cell) {
			cells = append(cells, extraction.Cell)
		}
	}
	return cells
}

// ConsumedData returns the reads that were declared, in that order.
func (r *BaseResource[T, M]) ConsumedData() []concepts.DataConsumption {
	return slices.Clone(r.DataConsumptions)
}

// MetricsIdentifier returns the name of the resource in metrics, or "" if it has none of its own.
func (r *BaseResource[T, M]) MetricsIdentifier() string { return r.MetricsIdent }

// missingData returns for which cells the resource waits, or "" if for none.
func (r *BaseResource[T, M]) missingData() string {
	var missing []string
	for _, consumption := range r.DataConsumptions {
		if consumption.Optional || consumption.Cell.IsSet() {
			continue
		}
		if name := fmt.Sprintf("%q", consumption.Cell.Name()); !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return "waiting for data " + strings.Join(missing, ", ")
}
