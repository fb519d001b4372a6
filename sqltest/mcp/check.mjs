// Drives every tool with the official SDK of TypeScript: check.mjs stdio|http SCOPE BIN ROOT [URL]. See check.py.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [way, scope, binary, root, url] = process.argv.slice(2);
const data = JSON.parse(readFileSync(process.env.CALLS, 'utf8'));
const order = ['read', 'write', 'admin'];
const known = { store: 'app.omgdb', files: 'files', mine: `ts_${way}_${scope}` };
let passed = 0, failed = 0;

function check(ok, what, detail) {
  if (ok) return void passed++;
  failed++;
  console.log(`FAIL typescript ${way} ${scope}: ${what}: ${JSON.stringify(detail)?.slice(0, 300)}`);
}

const fill = (x) => JSON.parse(Object.entries(known).reduce((s, [k, v]) => s.replaceAll(`{${k}}`, v), JSON.stringify(x)));
const argumentsOf = (c) => ({ ...(c.nopath ? {} : { path: known.store }), ...fill(c.args) });
const cli = (args) => execFileSync(binary, fill(args), { cwd: root, encoding: 'utf8' }).trim();

function same(kind, structured, text, out) {
  const lines = out.split('\n');
  switch (kind) {
    case 'line': return text === out && isDeepStrictEqual(structured, JSON.parse(out));
    case 'documents': return isDeepStrictEqual(structured.documents, lines.map((l) => JSON.parse(l)));
    case 'scored': return isDeepStrictEqual(structured.results.map((r) => [r.score.toFixed(4), r.doc]), lines.map((l) => [l.split('\t')[0], JSON.parse(l.split('\t')[1])]));
  }
  const rows = lines.map((l) => l.split(','));
  return isDeepStrictEqual([structured.columns.map((c) => c.name), ...structured.rows.map((r) => r.map(String))], rows);
}

const transport = way === 'stdio'
  ? new StdioClientTransport({ command: binary, args: ['mcp', '--scope', scope, '--root', root], cwd: root })
  : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${process.env.OMGDB_MCP_TOKEN}` } } });
const client = new Client({ name: 'check', version: '1' });
await client.connect(transport);
const call = async (c) => client.callTool({ name: c.tool, arguments: argumentsOf(c) });
const texts = (r) => r.content.map((t) => t.text ?? '').join('\n');

const { tools } = await client.listTools();
const rank = order.indexOf(scope);
check(isDeepStrictEqual(tools.map((t) => t.name).sort(), order.slice(0, rank + 1).flatMap((s) => data.tools[s]).sort()), 'listed tools', tools.map((t) => t.name));
for (const t of tools) {
  const reads = data.tools.read.includes(t.name) && !(t.name === 'context' && scope !== 'read');
  check(t.description && t.title && t.annotations.readOnlyHint === reads && t.annotations.openWorldHint === false, `${t.name}: annotations`, t.annotations);
  const s = t.inputSchema;
  check(s.type === 'object' && s.additionalProperties === false && Object.values(s.properties).every((p) => p.description) && s.required.every((r) => r in s.properties), `${t.name}: input schema`, s);
  check(t.outputSchema.type === 'object', `${t.name}: output schema`, t.outputSchema);
}
for (const c of data.same) {
  const r = await call(c);
  check(!r.isError && same(c.as, r.structuredContent, r.content[0].text, cli(c.cli)), `${c.tool} ${JSON.stringify(c.args)} is the CLI's`, r.content);
}
for (const c of data.work.filter((c) => order.indexOf(c.scope ?? 'read') <= rank)) {
  const r = await call(c);
  check(!r.isError && c.has in (r.structuredContent ?? {}), `${c.tool} ${JSON.stringify(c.args)}`, r.content);
  if (c.keep && r.structuredContent) known[c.keep] = r.structuredContent[c.keep];
}
for (const c of data.refused.filter((c) => (c.only ?? scope) === scope)) {
  const r = await call(c);
  check(r.isError && texts(r).includes(c.says), `${c.tool} ${JSON.stringify(c.args)} is refused`, r);
}
for (const name of order.slice(rank + 1).flatMap((s) => data.tools[s])) {
  try {
    const r = await client.callTool({ name, arguments: { path: known.store } });
    check(r.isError, `${name} is beyond the scope`, r);
  } catch (e) {
    check(String(e).includes(name), `${name} is beyond the scope`, String(e));
  }
}
const { resourceTemplates } = await client.listResourceTemplates();
const { resources } = await client.listResources();
check(resourceTemplates.length + resources.length > 0, 'resources', resources);
await client.close();
console.log(`typescript ${way} ${scope}: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
