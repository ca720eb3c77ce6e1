import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { curlOf } from './curl.ts';

const origin = 'http://localhost:8080';
const key = '-H "X-API-KEY: $SANDPOST_API_KEY"';

const lines: [Parameters<typeof curlOf>, string][] = [
  [['GET', '/api/tokens', undefined, origin], `curl '${origin}/api/tokens' ${key}`],
  [['DELETE', '/api/tokens/3', undefined, origin], `curl -X DELETE '${origin}/api/tokens/3' ${key}`],
  [['POST', '/api/tokens', undefined, origin], `curl -X POST '${origin}/api/tokens' ${key}`],
  [
    ['POST', '/api/tokens', { name: 'CI' }, origin],
    `curl '${origin}/api/tokens' ${key} --json '{"name":"CI"}'`,
  ],
];
for (const [call, line] of lines) test(line, () => assert.equal(curlOf(...call), line));

test('a shell passes the body unchanged', () => {
  const body = { name: `it's "$HOME" \`id\` \\ \n end` };
  const line = curlOf('PATCH', '/api/x', body, origin).replace(/^curl/, 'printf "%s\\n"');
  const said = execFileSync('sh', ['-c', line], { env: { SANDPOST_API_KEY: 'sp_1' } }).toString();
  assert.ok(said.includes(`--json\n${JSON.stringify(body)}\n`), said);
  assert.ok(said.includes('X-API-KEY: sp_1'));
});
