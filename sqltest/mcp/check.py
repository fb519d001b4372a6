"""Drives every tool with the official SDK of Python: check.py stdio|http SCOPE BIN ROOT [URL]. A line for each check that fails, then the count."""

import asyncio, contextlib, csv, json, os, subprocess, sys

from mcp import ClientSession, StdioServerParameters, stdio_client

way, scope, binary, root = sys.argv[1:5]
here = os.path.dirname(os.path.abspath(__file__))
data = json.load(open(os.path.join(here, "calls.json")))
order = ["read", "write", "admin"]
known = {"store": "app.omgdb", "files": "files", "mine": f"py_{way}_{scope}"}
passed = failed = 0


def check(ok, what, detail=""):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"FAIL python {way} {scope}: {what}: {str(detail)[:300]}")


def fill(x):
    if isinstance(x, str):
        for name, value in known.items():
            x = x.replace("{" + name + "}", str(value))
        return x
    if isinstance(x, list):
        return [fill(v) for v in x]
    return {k: fill(v) for k, v in x.items()} if isinstance(x, dict) else x


def arguments(call):
    args = fill(call["args"])
    if not call.get("nopath"):
        args.setdefault("path", known["store"])
    return args


def cli(args):
    return subprocess.run([binary, *fill(args)], cwd=root, capture_output=True, text=True, check=True).stdout.strip()


def same(kind, structured, text, out):
    lines = out.split("\n")
    if kind == "line":
        return text == out and structured == json.loads(out)
    if kind == "documents":
        return structured["documents"] == [json.loads(l) for l in lines]
    if kind == "scored":
        return [(f"{r['score']:.4f}", r["doc"]) for r in structured["results"]] == [(l.split("\t")[0], json.loads(l.split("\t")[1])) for l in lines]
    head, *rows = csv.reader(lines)
    return [c["name"] for c in structured["columns"]] == head and [[str(v) for v in r] for r in structured["rows"]] == rows


@contextlib.asynccontextmanager
async def streams():
    if way == "stdio":
        async with stdio_client(StdioServerParameters(command=binary, args=["mcp", "--scope", scope, "--root", root], cwd=root)) as s:
            yield s[0], s[1]
        return
    from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

    async with create_mcp_http_client(headers={"Authorization": "Bearer " + os.environ["OMGDB_MCP_TOKEN"]}) as h:
        async with streamable_http_client(sys.argv[5], http_client=h) as s:
            yield s[0], s[1]


def allowed(call):
    return order.index(call.get("scope", "read")) <= order.index(scope)


async def call(session, c):
    r = await session.call_tool(c["tool"], arguments(c))
    d = r.model_dump(by_alias=True)
    return d.get("isError"), d.get("structuredContent"), "\n".join(t["text"] for t in d["content"] if t.get("type") == "text" and "text" in t), d["content"][0].get("text", "")


async def main():
    async with streams() as (r, w), ClientSession(r, w) as session:
        await session.initialize()
        tools = {t["name"]: t for t in (await session.list_tools()).model_dump(by_alias=True)["tools"]}
        want = sorted(n for s in order[: order.index(scope) + 1] for n in data["tools"][s])
        check(sorted(tools) == want, "listed tools", sorted(tools))
        for name, t in tools.items():
            a = t["annotations"] or {}
            reads = name in data["tools"]["read"] and not (name == "context" and scope != "read")
            check(t["description"] and t["title"] and a.get("readOnlyHint") == reads and a.get("openWorldHint") is False, name + ": annotations", a)
            s = t["inputSchema"]
            check(s["type"] == "object" and s["additionalProperties"] is False and all(p.get("description") for p in s["properties"].values())
                  and set(s["required"]) <= set(s["properties"]), name + ": input schema", s)
            check(t["outputSchema"]["type"] == "object", name + ": output schema", t["outputSchema"])
        for c in data["same"]:
            error, structured, _, text = await call(session, c)
            check(not error and same(c["as"], structured, text, cli(c["cli"])), f"{c['tool']} {c['args']} is the CLI's", text)
        for c in filter(allowed, data["work"]):
            error, structured, text, _ = await call(session, c)
            check(not error and c["has"] in (structured or {}), f"{c['tool']} {c['args']}", text)
            if "keep" in c and structured:
                known[c["keep"]] = structured[c["keep"]]
        for c in data["refused"]:
            if c.get("only", scope) != scope:
                continue
            error, _, text, _ = await call(session, c)
            check(error and c["says"] in text, f"{c['tool']} {c['args']} is refused", text)
        for name in [n for s in order[order.index(scope) + 1 :] for n in data["tools"][s]]:
            try:
                r = await session.call_tool(name, {"path": known["store"]})
                check(r.model_dump(by_alias=True).get("isError"), name + " is beyond the scope", r)
            except Exception as e:
                check(name in str(e), name + " is beyond the scope", e)
        resources = (await session.list_resources()).model_dump(by_alias=True)
        templates = (await session.list_resource_templates()).model_dump(by_alias=True)
        check(resources["resources"] or templates["resourceTemplates"], "resources", resources)


asyncio.run(main())
print(f"python {way} {scope}: {passed} passed, {failed} failed")
sys.exit(failed > 0)
