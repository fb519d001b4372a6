package mcp

import (
	"context"
	"encoding/json"
	"net/url"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// documentURI is the template of the documents' addresses. With a store of the server's own, path may be left out.
const documentURI = "omgdb://document{?path,collection,id}"

// getTool gives the tool by which documents are read as resources.
func getTool() *tool {
	for i := range tools {
		if tools[i].name == "get" {
			return &tools[i]
		}
	}
	return nil
}

// addResources makes documents readable as resources.
func (s *Server) addResources() {
	s.mcp.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "document", Title: "Document", URITemplate: documentURI, MIMEType: "application/json",
		Description: "One document of a collection, by the text of its _id.",
	}, s.readDocument)
}

func (s *Server) readDocument(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	u, err := url.Parse(req.Params.URI)
	if err != nil || u.Scheme != "omgdb" || u.Host != "document" {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	args := map[string]string{}
	for name, vals := range u.Query() {
		args[name] = vals[0]
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	c := &call{ctx: ctx, srv: s, tool: getTool()}
	a, err := c.answer(raw)
	if err != nil {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: string(a.json)}}}, nil
}
