package minilm

// Names of the model's files in its directory.
const (
	WeightsFile = "model.safetensors"
	VocabFile   = "vocab.txt"
)

// File is one file of the model, pinned by its hash.
type File struct {
	Name   string
	Size   int64
	SHA256 string
}

// Files are what Open needs.
var Files = []File{
	{WeightsFile, 90868376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"},
	{VocabFile, 231508, "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"},
}
