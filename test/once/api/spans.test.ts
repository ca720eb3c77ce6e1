import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startCollector } from '#test/support/clients/collector.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { startProgram, temporaryDir } from '#test/support/program/program.ts';
import { deliverOne, transmit } from '#test/support/program/program-mail.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const collector = await forAllTests(startCollector());
const program = await forAllTests(
  startProgram({
    SANDPOST_OTLP_URL: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=mail',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
    OTEL_SERVICE_NAME: 'mail-sandbox',
  }),
);
const user = await createUser(program);

const sender = '00f067aa0ba902b7';
const newTrace = () => randomBytes(16).toString('hex');
const sampled = (trace: string) => ({ traceparent: `00-${trace}-${sender}-01` });
const secret = 'Secret words';

test('a mail by SMTP makes spans below that of its sender: receive, examine, commit, first read', async () => {
  const trace = newTrace();
  const headers = sampled(trace);
  const id = await deliverOne(program, { to: user.address, subject: secret, text: secret, headers });
  await ok(user.api.get(`/api/messages/${id}`));
  await ok(user.api.get(`/api/messages/${id}`));
  await ok(user.api.get(`/api/messages?trace=${trace}&wait=1`));
  const spans = await collector.ofTrace(trace, 4);
  const { 'sandpost receive': receive, 'sandpost examine': examine, 'sandpost commit': commit } = spans;
  const read = spans['sandpost first read'];
  assert.ok(receive && examine && commit && read);
  const { size_bytes: size } = await ok(user.api.get(`/api/messages/${id}`));
  assert.equal(receive.parentSpanId, sender);
  assert.equal(read.parentSpanId, sender);
  assert.deepEqual([examine.parentSpanId, commit.parentSpanId], [receive.spanId, receive.spanId]);
  assert.deepEqual(receive.attributes, {
    'sandpost.mail.bytes': size,
    'sandpost.message.ids': [id],
    'sandpost.result': 'stored',
  });
  assert.deepEqual(examine.attributes, { 'sandpost.mail.bytes': size });
  assert.deepEqual(commit.attributes, { 'sandpost.result': 'stored' });
  assert.deepEqual(read.attributes['sandpost.message.ids'], [id]);
  assert.ok(commit.start >= examine.end && receive.end >= commit.end && read.start >= receive.start);
  assert.ok(Object.values(spans).every(({ start, end, failed }) => end >= start && !failed));
  const { resource } = receive;
  assert.equal(resource['service.name'], 'mail-sandbox');
  assert.equal(resource['deployment.environment.name'], 'staging');
  const [request] = collector.requests;
  assert.equal(request?.path, '/v1/traces');
  assert.equal(request?.headers['x-tenant'], 'mail');
  assert.equal(collector.spans.filter(({ traceId }) => traceId === trace).length, 4);
});

test('a wait that returns a mail is its first read', async () => {
  const trace = newTrace();
  const waiting = ok(user.api.get(`/api/messages?trace=${trace}&wait=30`));
  const id = await deliverOne(program, { to: user.address, headers: sampled(trace) });
  assert.equal((await waiting).items[0].id, id);
  const { 'sandpost first read': read } = await collector.ofTrace(trace, 4);
  assert.deepEqual(read?.attributes['sandpost.message.ids'], [id]);
});

test('a read by a key that is limited to accounts is the first one', async () => {
  const trace = newTrace();
  const { key } = await ok(user.api.post('/api/tokens', { account_ids: [user.account.id] }));
  const id = await deliverOne(program, { to: user.address, headers: sampled(trace) });
  await ok(new HttpClient(program, { 'x-api-key': key }).get(`/api/messages/${id}`));
  const { 'sandpost first read': read } = await collector.ofTrace(trace, 4);
  assert.deepEqual(read?.attributes['sandpost.message.ids'], [id]);
});

test('a read by the API of another catcher is the first one, and a list of Mailpit is none', async () => {
  const headers = { 'x-api-key': user.key };
  for (const path of ['/api/v1/message/', '/api/v1/messages/', '/email/']) {
    const trace = newTrace();
    const id = await deliverOne(program, { to: user.address, headers: sampled(trace) });
    for (const target of ['/api/v1/messages', `${path}${id}`])
      assert.equal((await fetch(program.baseUrl + target, { headers })).status, 200, target);
    const { 'sandpost first read': read } = await collector.ofTrace(trace, 4);
    assert.deepEqual(read?.attributes['sandpost.message.ids'], [id]);
    assert.equal(collector.spans.filter(({ traceId }) => traceId === trace).length, 4);
  }
});

test('the mails of a request to a provider are below the span of the request', async () => {
  const trace = newTrace();
  const words = { From: 'shop@example.com', To: user.address, Subject: secret, TextBody: secret };
  const api = new HttpClient(program, { 'x-postmark-server-token': user.key, ...sampled(trace) });
  await ok(api.post('/providers/postmark/email', words));
  const { 'sandpost receive': receive } = await collector.ofTrace(trace, 3);
  assert.equal(receive?.parentSpanId, sender);
});

test('a mail that a failure on purpose refuses has failed', async () => {
  const refused = newTrace();
  await ok(
    user.api.post('/api/failures', { stage: 'end', reply: '554 5.7.1 No', match: { q: 'subject:refuse' } }),
  );
  await assert.rejects(
    transmit(program, { to: user.address, subject: 'refuse me', headers: sampled(refused) }),
    /554/,
  );
  const spans = await collector.ofTrace(refused, 2);
  assert.deepEqual(Object.keys(spans).toSorted(), ['sandpost examine', 'sandpost receive']);
  assert.equal(spans['sandpost receive']?.failed, true);
  assert.equal(spans['sandpost receive']?.attributes['sandpost.result'], 'on-purpose');
});

test('mail without a trace, or of one that its application does not record, makes no span', async () => {
  const quiet = newTrace();
  for (const headers of [
    { traceparent: `00-${quiet}-${sender}-00` },
    { traceparent: `00-${quiet}-${sender}` },
    {},
  ])
    await deliverOne(program, { to: user.address, headers });
  const last = newTrace();
  await deliverOne(program, { to: user.address, headers: sampled(last) });
  await collector.ofTrace(last, 3);
  const unexpected = collector.spans.filter(({ traceId }) => traceId === quiet);
  assert.deepEqual(unexpected, []);
});

test('no text, address or name of a mail leaves', () => {
  const sent = Buffer.concat(collector.requests.map(({ body }) => body)).toString('latin1');
  assert.ok(collector.spans.length > 10);
  for (const word of [secret, user.address, 'shop@example.com', 'refuse me', '127.0.0.1'])
    assert.ok(!sent.includes(word), word);
});

test('the packages of spans are loaded where there is a collector, and not otherwise', async () => {
  const loads = async (settings: Record<string, string>) => {
    const folder = await temporaryDir();
    await using quick = await startProgram({ NODE_V8_COVERAGE: folder, ...settings });
    const trace = newTrace();
    const own = await createUser(quick);
    await deliverOne(quick, { to: own.address, headers: sampled(trace) });
    assert.equal(await quick.stop(), 0);
    const files = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8'));
    return files.some((text) => /adapters\/spans|@opentelemetry\/(sdk-trace|core|exporter)/.test(text));
  };
  assert.equal(await loads({}), false);
  assert.equal(await loads({ SANDPOST_OTLP_URL: collector.url }), true);
});
