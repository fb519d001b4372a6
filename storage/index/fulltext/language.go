package fulltext

import (
	"sort"
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// stemmer gives the stem of a folded word.
type stemmer func(word string) string

type language struct {
	stem stemmer
	stop string // stop words, separated by spaces
	code bool
}

func (l language) stopSet() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(l.stop) {
		set[w] = true
	}
	return set
}

func snowball(stem func(*snowballstem.Env) bool) stemmer {
	return func(word string) string {
		env := snowballstem.NewEnv(word)
		stem(env)
		return env.Current()
	}
}

// languages are the analyzers by name. Folding comes before stemming, so stemmers see words without accents; documents and queries alike.
var languages = map[string]language{
	"simple":     {stem: func(w string) string { return w }},
	"code":       {stem: func(w string) string { return w }, stop: englishStop, code: true},
	"arabic":     {stem: snowball(arabic.Stem)},
	"danish":     {stem: snowball(danish.Stem)},
	"dutch":      {stem: snowball(dutch.Stem)},
	"english":    {stem: snowball(english.Stem), stop: englishStop},
	"finnish":    {stem: snowball(finnish.Stem)},
	"french":     {stem: snowball(french.Stem), stop: frenchStop},
	"german":     {stem: snowball(german.Stem), stop: germanStop},
	"hungarian":  {stem: snowball(hungarian.Stem)},
	"irish":      {stem: snowball(irish.Stem)},
	"italian":    {stem: snowball(italian.Stem)},
	"norwegian":  {stem: snowball(norwegian.Stem)},
	"portuguese": {stem: snowball(portuguese.Stem)},
	"romanian":   {stem: snowball(romanian.Stem)},
	"russian":    {stem: snowball(russian.Stem)},
	"spanish":    {stem: snowball(spanish.Stem), stop: spanishStop},
	"swedish":    {stem: snowball(swedish.Stem)},
	"tamil":      {stem: snowball(tamil.Stem)},
	"turkish":    {stem: snowball(turkish.Stem)},
}

func languageNames() string {
	names := make([]string, 0, len(languages))
	for n := range languages {
		names = append(names, n)
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

// Function words, folded. The English list is Snowball's; the others hold the commonest words.
const (
	englishStop = `i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its
		itself they them their theirs themselves what which who whom this that these those am is are was were be been being have has had
		having do does did doing a an the and but if or because as until while of at by for with about against between into through during
		before after above below to from up down in out on off over under again further then once here there when where why how all any
		both each few more most other some such no nor not only own same so than too very s t can will just don should now`
	frenchStop = `au aux avec ce ces dans de des du elle en et eux il je la le les leur lui ma mais me meme mes moi mon ne nos notre nous on ou
		par pas pour qu que qui sa se ses son sur ta te tes toi ton tu un une vos votre vous c d j l a m n s t y est sont ete etait etaient`
	germanStop = `aber alle als also am an auch auf aus bei bin bis das dass dem den der des die dies du durch ein eine einem einen einer eines er es
		euch fur hat hatte ich ihr im in ist ja kann kein man mein mit nach nicht noch nun nur oder ob ohne sehr sein sich sie sind so
		uber um und uns unter vom von vor war was wenn wer wie wir wird zu zum zur`
	spanishStop = `de la que el en y a los del se las por un para con no una su al lo como mas pero sus le ya o este si porque esta entre cuando muy
		sin sobre tambien me hasta hay donde quien desde todo nos durante todos uno les ni contra otros ese eso ante ellos e esto es son`
)
