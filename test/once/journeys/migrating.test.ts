import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { settings } from '#setup/settings.ts';
import { startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { deliver } from '#test/support/program/program-mail.ts';
import { forAllTests } from '#test/support/program/scene.ts';

const dev = await forAllTests(startProcess('dev', { SANDPOST_DATA_DIR: await temporaryDir() }));
const url = `http://127.0.0.1:${dev.ports.http}`;
const pages = globSync('docs/from/*.md').sort();

/** Code spans in a page's tables that are about Sandpost, by row. */
function spansOf(page: string): string[][] {
  const rows = readFileSync(page, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  return rows.map((row) => {
    const cells = row.split(' | ');
    const [cell = ''] = cells.slice(cells.length >= 4 ? 2 : 1);
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
  });
}

type Call = { page: string; method: string; target: string; body: string | undefined };

/** Calls in a row. A method without a path uses the next span's path, and an object is the body of the span before. */
function callsOf(page: string, spans: string[]): Call[] {
  return spans.flatMap((span, at) => {
    const [, method, target] = /^(GET|POST|PATCH|PUT|DELETE)(?: (\S+))?$/.exec(span) ?? [];
    const own =
      target ??
      spans
        .slice(at)
        .find((later) => / \/api\//.test(later))
        ?.split(' ')[1];
    if (method === undefined || own === undefined || own.includes('…/')) return [];
    const next = spans[at + 1];
    return [{ page, method, target: own, body: next?.startsWith('{') ? next : undefined }];
  });
}

async function ask(method: string, target: string, body?: string) {
  const response = await fetch(`${url}${target}`, {
    method,
    ...(body !== undefined && { body, headers: { 'content-type': 'application/json' } }),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const text = isStream ? '' : await response.text();
  if (isStream) await response.body?.cancel();
  return { status: response.status, text };
}

const created = async (target: string, body: object): Promise<number> =>
  JSON.parse((await ask('POST', target, JSON.stringify(body))).text).id;

/** Bodies of calls whose row has none, by path. */
const bodies: Record<string, object> = {
  '/api/accounts': { address: 'one@app.test' },
  '/api/failures': { stage: 'end', reply: '451 4.7.1 Later', match: { q: 'subject:none' } },
  '/api/messages/bulk': { q: '', action: 'delete' },
  '/api/accounts/{id}/messages/send': { to: ['qa@app.test'], subject: 'x', text: 'x' },
  '/api/messages/{id}': { is_read: true },
};

let others = 0;

/** Fills in a call with existing IDs, and sends it. */
async function send({ method, target, body }: Call) {
  const attachments = [{ filename: 'a.txt', content: 'abc' }];
  const mail = { to: 'qa@app.test', attachments, html: '<p>Hi</p>' };
  await deliver({ smtpPort: dev.ports.smtp }, mail);
  const [message] = await deliver({ smtpPort: dev.ports.smtp }, mail);
  const { items } = JSON.parse((await ask('GET', '/api/accounts?limit=1')).text);
  others += 1;
  const [account] =
    method === 'DELETE'
      ? [{ id: await created('/api/accounts', { address: `n${others}@app.test` }) }]
      : items;
  const failure = target.includes('/failures/{id}')
    ? await created('/api/failures', bodies['/api/failures'] ?? {})
    : 0;
  const filled = target
    .replace('/messages/{id}', `/messages/${message}`)
    .replace('/attachments/{id}', '/attachments/1')
    .replace('/accounts/{id}', `/accounts/${account.id}`)
    .replace('/failures/{id}', `/failures/${failure}`)
    .replace('after={id}', `after=${message}`)
    .replace('{email}', 'qa@app.test')
    .replace('{folder}', 'INBOX')
    .replace('q=…', 'q=x');
  // A name is available once.
  const given = body
    ?.replace('…', 'password-1')
    .replace('"domain": "app.test"', `"domain": "n${others}.test"`);
  const json =
    given ??
    (method === 'GET' || method === 'DELETE'
      ? undefined
      : JSON.stringify(bodies[target])?.replace('one@', `one${others}@`));
  return ask(method, filled, json);
}

await created('/api/domains', { domain: 'app.test', mx_verified: true });

for (const page of pages)
  test(`each call of ${path.basename(page)} is answered`, async () => {
    const calls = spansOf(page).flatMap((spans) => callsOf(page, spans));
    assert.ok(calls.length >= 6, `${calls.length} calls`);
    const failed = [];
    for (const call of calls) {
      const { status, text } = await send(call);
      const isExpected = call.target.endsWith('/checks/links') ? status === 403 : [200, 204].includes(status);
      // A failure would refuse later calls' mail.
      if (call.target === '/api/failures') await ask('DELETE', `/api/failures/${JSON.parse(text).id}`);
      if (!isExpected) failed.push([call.method, call.target, status, text.slice(0, 200)]);
    }
    assert.deepEqual(failed, []);
  });

test('each setting of the pages exists', () => {
  const ofClients = ['SANDPOST_URL', 'SANDPOST_API_KEY'];
  const known = new Set([...settings.map(({ variable }) => variable), ...ofClients]);
  const named = [...pages, 'docs/mailpit.md'].flatMap(
    (page) => readFileSync(page, 'utf8').match(/SANDPOST_[A-Z_]+/g) ?? [],
  );
  const unexpected = named.filter((name) => !known.has(name));
  assert.deepEqual(unexpected, []);
});
