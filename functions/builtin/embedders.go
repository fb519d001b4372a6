package builtin

import (
	"github.com/omgdb/omgdb/functions/embed"
	"github.com/omgdb/omgdb/functions/embed/endpoint"
	"github.com/omgdb/omgdb/functions/embed/minilm"
)

// Embedders makes the set of all embedders of this build.
func Embedders() *embed.Set {
	return embed.NewSet(embed.Opener{Name: minilm.Name, Open: minilm.OpenInstalled},
		embed.Opener{Name: endpoint.Name, Open: endpoint.OpenConfigured})
}
