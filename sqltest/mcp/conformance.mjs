// Runs the server scenarios of the official conformance suite: conformance.mjs DIR URL, DIR with the installed suite. The suite sends no
// token, so a proxy adds it and changes nothing else. Every scenario is named here: it applies and must pass, or it says why it does not.
import { execFile } from 'node:child_process';
import http from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';

const applies = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'server-sse-multiple-streams', 'dns-rebinding-protection'];
const fixture = 'calls a tool of the reference server for tests, which is none of ours';
const asks = 'the server asks its client for nothing';
const prompts = 'there are no prompts';
const reads = 'reads a resource of the reference server for tests';
const not = {
  'logging-set-level': 'the server logs to its own standard error', 'completion-complete': 'there is nothing to complete',
  'tools-call-simple-text': fixture, 'tools-call-image': fixture, 'tools-call-audio': fixture, 'tools-call-embedded-resource': fixture,
  'tools-call-mixed-content': fixture, 'tools-call-with-logging': fixture, 'tools-call-error': fixture, 'tools-call-with-progress': fixture,
  'tools-call-sampling': asks, 'tools-call-elicitation': asks, 'elicitation-sep1034-defaults': asks, 'elicitation-sep1330-enums': asks,
  'json-schema-2020-12': fixture, 'server-sse-polling': fixture,
  'resources-read-text': reads, 'resources-read-binary': reads, 'resources-templates-read': reads,
  'resources-subscribe': 'resources are not subscribed to', 'resources-unsubscribe': 'resources are not subscribed to',
  'prompts-list': prompts, 'prompts-get-simple': prompts, 'prompts-get-with-args': prompts, 'prompts-get-embedded-resource': prompts, 'prompts-get-with-image': prompts,
};

const [dir, url] = process.argv.slice(2);
const target = new URL(url);
const suite = join(dir, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const proxy = http.createServer((req, res) => {
  const headers = { ...req.headers, authorization: `Bearer ${process.env.OMGDB_MCP_TOKEN}` };
  const up = http.request({ host: target.hostname, port: target.port, path: '/', method: req.method, headers, setHost: false }, (r) => {
    res.writeHead(r.statusCode, r.headers);
    r.pipe(res);
  });
  up.on('error', () => res.destroy());
  res.on('close', () => up.destroy());
  req.pipe(up);
});
await new Promise((done) => proxy.listen(0, '127.0.0.1', done));
const run = promisify(execFile);
const at = `http://127.0.0.1:${proxy.address().port}/mcp`;

let passed = 0, failed = 0;
const fail = (name, why) => { failed++; console.log(`FAIL conformance: ${name}: ${why}`); };
const { stdout } = await run(process.execPath, [suite, 'list', '--server']);
const listed = [...stdout.matchAll(/^\s+- (\S+)/gm)].map((m) => m[1]);
for (const name of listed) {
  if (not[name]) continue;
  if (!applies.includes(name)) {
    fail(name, 'a scenario that nobody has looked at');
    continue;
  }
  try {
    await run(process.execPath, [suite, 'server', '--url', at, '--scenario', name], { timeout: 60000 });
    passed++;
  } catch (e) {
    fail(name, (e.stdout + e.stderr).slice(-600));
  }
}
for (const name of applies) if (!listed.includes(name)) fail(name, 'is no longer listed');
console.log(`conformance: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
