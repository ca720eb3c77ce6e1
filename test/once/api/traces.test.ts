import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser, idsOf, ok } from '#test/support/program/user.ts';

const { program, user } = await scene();
const to = user.address;

const newTrace = () => randomBytes(16).toString('hex');
const parentOf = (trace: string, version = '00') => `${version}-${trace}-00f067aa0ba902b7-01`;

/** Returns a message's trace, which its list item also contains. */
async function traceOf(id: number): Promise<string | null> {
  const { trace_id: trace } = await ok(user.api.get(`/api/messages/${id}`));
  const { items } = await ok(user.api.get('/api/messages?limit=200'));
  assert.equal(items.find((item: { id: number }) => item.id === id).trace_id, trace, 'in the list');
  return trace;
}

const inbox: string = `/api/accounts/${user.account.id}/mailboxes/${user.inbox}/messages`;
const found = async (query: string) => idsOf(await ok(user.api.get(`/api/messages?${query}`)));

test('the field traceparent of a mail names its trace, by which lists and searches find it', async () => {
  const trace = newTrace();
  const first = await deliverOne(program, { to, headers: { traceparent: parentOf(trace) } });
  const second = await deliverOne(program, {
    to,
    subject: 'Second',
    headers: { TraceParent: parentOf(trace, 'cc') },
  });
  const other = await deliverOne(program, { to, headers: { traceparent: parentOf(newTrace()) } });
  assert.equal(await traceOf(first), trace);
  assert.equal(await traceOf(second), trace);
  for (const query of [`trace=${trace}`, `trace=${trace.toUpperCase()}`, `q=trace:${trace}`])
    for (const list of ['/api/messages', inbox])
      assert.deepEqual(idsOf(await ok(user.api.get(`${list}?${query}`))), [second, first], list + query);
  assert.deepEqual(await found(`trace=${trace}&q=-second`), [first]);
  assert.deepEqual(await found(`trace=${trace.slice(1)}`), [], 'a part of it');
  assert.ok((await found(`q=-trace:${trace}`)).includes(other));
  assert.equal((await user.api.get(`/api/messages?trace=${parentOf(trace)}`)).status, 422);
  const stranger = await createUser(program);
  assert.deepEqual(idsOf(await ok(stranger.api.get(`/api/messages?trace=${trace}`))), []);
  await ok(user.api.patch(`/api/messages/${first}`, { tags: ['a'] }));
  assert.deepEqual(await found(`trace=${trace}&tag=a`), [first], 'with other tags');
});

test('a wait for a trace sees no mail of another, and says what it lacks', async () => {
  const trace = newTrace();
  const { cursor } = await ok(user.api.get('/api/messages'));
  const waiting = user.api.get(`/api/messages?trace=${trace}&wait=30&since=${cursor}`);
  const other = await deliverOne(program, { to, headers: { traceparent: parentOf(newTrace()) } });
  const mine = await deliverOne(program, { to, headers: { traceparent: parentOf(trace) } });
  assert.deepEqual(idsOf((await waiting).json), [mine]);
  const none = `trace=${newTrace()}&wait=0&explain=1&since=${cursor}`;
  const { json } = await user.api.get(`/api/messages?${none}`);
  assert.deepEqual(
    json.near_misses.map(({ id, failed }: { id: number; failed: string[] }) => [id, failed]),
    [
      [mine, ['trace']],
      [other, ['trace']],
    ],
  );
});

test('a field whose value is folded or beside blanks is read', async () => {
  const trace = newTrace();
  for (const field of [`traceparent:\r\n ${parentOf(trace)}`, `traceparent:${parentOf(trace)} \t`]) {
    const raw = [field, 'Subject: Hello', '', 'Hello', ''].join('\r\n');
    assert.equal(await traceOf(await deliverOne(program, { to, raw })), trace, field);
  }
});

test('a malformed field, one too long, and several fields are none', async () => {
  const trace = newTrace();
  const fields = [
    ['traceparent: what'],
    [`traceparent: ${parentOf(trace)}-more`],
    [`traceparent: ${parentOf(trace).toUpperCase()}`],
    [`traceparent: ${parentOf(trace, 'ff')}`],
    [`traceparent: ${parentOf(trace, '01')}-${'a'.repeat(60_000)}`],
    [`traceparent: ${parentOf(trace)}`, `TRACEPARENT: ${parentOf(trace)}`],
    [`traceparent: ${parentOf(trace)}, ${parentOf(trace)}`],
    [`X-Trace: ${parentOf(trace)}`],
  ];
  for (const lines of fields) {
    const raw = [...lines, 'Subject: Hello', '', 'Hello', ''].join('\r\n');
    assert.equal(await traceOf(await deliverOne(program, { to, raw })), null, lines[0]?.slice(0, 100));
  }
  assert.deepEqual(await found(`trace=${trace}`), []);
});

test('a mail that the API or a provider request sends is of the trace of its request, unless it names one', async () => {
  const capture = await createUser(program);
  await ok(capture.api.patch(`/api/accounts/${capture.account.id}`, { is_capture: true }));
  const [ofRequest, ofMail] = [newTrace(), newTrace()];
  const send = async (subject: string, headers: object, traceparent: string) => {
    const { status } = await fetch(`${program.baseUrl}/providers/resend/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${capture.key}`, 'content-type': 'application/json', traceparent },
      body: JSON.stringify({ from: 'shop@example.com', to: 'ann@gmail.com', subject, text: 'x', headers }),
    });
    assert.equal(status, 200);
  };
  await send('plain', {}, parentOf(ofRequest));
  await send('named', { traceparent: parentOf(ofMail) }, parentOf(ofRequest));
  await send('malformed', {}, 'what');
  await send('twice', {}, `${parentOf(ofRequest)}, ${parentOf(ofRequest)}`);
  const { items } = await ok(capture.api.get('/api/messages'));
  assert.deepEqual(
    items.map((item: { subject: string; trace_id: string | null }) => [item.subject, item.trace_id]),
    [
      ['twice', null],
      ['malformed', null],
      ['named', ofMail],
      ['plain', ofRequest],
    ],
  );
  const path = `/api/accounts/${capture.account.id}/messages/send`;
  const mail = { to: [capture.address], subject: 'sent', text: 'x' };
  const traceparent = parentOf(newTrace());
  assert.equal((await capture.api.post(path, mail, { headers: { traceparent } })).status, 204);
  const sent = await ok(capture.api.get(`/api/messages?trace=${traceparent.slice(3, 35)}`));
  assert.equal(sent.items[0]?.subject, 'sent');
});

test('a rule sees the trace of a mail', async () => {
  const { api, address } = await createUser(program);
  const trace = newTrace();
  await ok(api.post('/api/rules', { name: 'Mine', q: `trace:${trace}`, tags: ['mine'] }));
  const tagsOf = async (id: number) => (await ok(api.get(`/api/messages/${id}`))).tags;
  const send = (of: string) => deliverOne(program, { to: address, headers: { traceparent: parentOf(of) } });
  assert.deepEqual(await tagsOf(await send(trace)), ['mine']);
  assert.deepEqual(await tagsOf(await send(newTrace())), []);
});
