package mcp

// Parameters of the tools that change documents and look at what they were.
var (
	pWhich  = param{name: "filter", kind: anObject, required: true, descr: `MongoDB-style filter of the documents to change, such as {"status":"draft"}; {} means all.`}
	pChange = param{name: "update", kind: anObject, descr: `What to change, such as {"$set":{"status":"done"},"$inc":{"n":1}}; a document without operators replaces all but _id.`}
	pMulti  = param{name: "multi", kind: aBoolean, def: "true", descr: "All documents that match, or the first one only."}
	pPlan   = param{name: "plan", kind: aString, required: true, descr: "The id that plan_mutation gave.", codes: []string{"42704", "55000", "40001"}}
)

// planShape is what all answers about a plan have.
var planShape = object("plan", str, "state", str, "operation", str, "collection", str, "matched", integer, "modified", integer)

// changeTools look at the past of documents, and change them.
var changeTools = []tool{
	{
		name: "history", title: "History of a document",
		descr:  "Shows the states that a document had, newest first, who made each and when. doc is null where it was deleted.",
		params: []param{pPath, pCollection, pID, pCursor}, args: []string{"collection", "id"}, shape: rowsJSON, list: "versions",
		sql:       `SELECT lsn, "time", role, application, plan, operation, omgdb.canonical_json(doc)::json AS doc FROM omgdb.history($1, $2)`,
		outSchema: object("versions", array(object("lsn", integer, "time", anything, "operation", anything, "doc", anything))),
	},
	{
		name: "update", title: "Update documents",
		descr: "Changes the documents that match a filter at once. For changes of many documents use plan_mutation first, which can be rolled back.",
		scope: Write, writes: true,
		params: []param{
			pPath, pCollection, pWhich, pChange.must(),
			{name: "upsert", kind: aBoolean, def: "false", descr: "Insert a document when none matches."}, pMulti,
		},
		args: []string{"collection", "filter", "update", "upsert", "multi"}, shape: oneJSON,
		sql: `SELECT json_build_object('matched', matched, 'modified', modified, 'upserted', upserted)
FROM omgdb.update_documents($1, $2::json, $3::json, $4::boolean, $5::boolean)`,
		outSchema: object("matched", integer, "modified", integer, "upserted", anything),
	},
	{
		name: "delete", title: "Delete documents", descr: "Deletes the documents that match a filter at once. history still shows them.",
		scope: Write, writes: true, idempotent: true, params: []param{pPath, pCollection, pWhich, pMulti},
		args: []string{"collection", "filter", "multi"}, shape: oneJSON,
		sql:       `SELECT json_build_object('deleted', omgdb.delete_documents($1, $2::json, $3::boolean))`,
		outSchema: object("deleted", integer),
	},
	{
		name: "plan_mutation", title: "Plan a change",
		descr: "Remembers a change of documents without making it, and shows how many it would touch and the first of them before and after. " +
			"Show this to whoever decides; apply_mutation then makes exactly this change.",
		scope: Write, writes: true, additive: true, run: runPlan,
		params: []param{
			pPath, pCollection, pWhich,
			{name: "operation", kind: aString, required: true, enum: []string{"update", "delete"}, descr: "What to do with the documents."},
			pChange,
			{name: "preview", kind: anInteger, def: "3", min: least(0), descr: "Number of documents to show.", codes: []string{"22023"}},
		},
		shape: oneJSON, outSchema: object("plan", str, "state", str, "operation", str, "collection", str, "matched", integer, "modified", integer,
			"digest", str, "preview", array(object("_id", anything, "before", anything, "after", anything))),
	},
	{
		name: "apply_mutation", title: "Make a planned change",
		descr: "Makes the change of a plan in one commit. Fails without changing anything when the documents are no longer what the plan saw; plan again then.",
		scope: Write, writes: true, params: []param{pPath, pPlan}, args: []string{"plan"}, shape: oneJSON,
		sql: `SELECT omgdb.apply_mutation($1)`, outSchema: planShape,
	},
	{
		name: "rollback_mutation", title: "Take an applied change back",
		descr: "Puts the documents that an applied plan changed back as they were. Fails without changing anything when one of them has been changed since.",
		scope: Write, writes: true, params: []param{pPath, pPlan}, args: []string{"plan"}, shape: oneJSON,
		sql: `SELECT omgdb.rollback_mutation($1)`, outSchema: planShape,
	},
}

// must makes a parameter a required one.
func (p param) must() param {
	p.required = true
	return p
}

// runPlan plans an update or a delete: a forgotten update never means a delete.
func runPlan(c *call) (*answer, error) {
	update := c.args[pChange.name]
	switch remove := c.args.text("operation") == "delete"; {
	case remove && update != nil:
		return nil, badArg(pChange.name, "a delete has none")
	case !remove && update == nil:
		return nil, badArg(pChange.name, "required by the operation update")
	}
	return c.query(`SELECT omgdb.plan_mutation($1, $2::json, $3::json, $4)`, c.args[pCollection.name], c.args[pWhich.name], update, c.args["preview"])
}
