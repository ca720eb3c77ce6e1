import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { openTracer, type Work } from '#adapters/spans/tracer.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { type Collector, startCollector } from '#test/support/clients/collector.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { freePort } from '#test/support/runner/free-port.ts';
import { until } from '#test/support/runner/until.ts';

/** Tracer with the lines that it logs, and counters of what it drops and loses. */
function opened(url: string) {
  const metrics = createMetrics();
  const told: string[] = [];
  const tracer = openTracer(url, { metrics, warn: (_fields, text) => told.push(text) });
  const lost = async () => (await metrics.spansLost.get()).values[0]?.value;
  const reached = async (limit: LimitName) => {
    const line = `sandpost_limits_reached_total{limit="${limit}"} `;
    const lines = (await metrics.registry.metrics()).split('\n');
    return Number(lines.find((one) => one.startsWith(line))?.slice(line.length) ?? 0);
  };
  return { tracer, told, lost, reached };
}

const work = (team: number): Work => {
  const parent = { traceId: randomBytes(16).toString('hex'), parentSpanId: randomBytes(8).toString('hex') };
  return { name: 'receive', parent, team, startMs: 1, endMs: 2, attributes: { 'sandpost.mail.bytes': 3 } };
};

const { waiting, waitingOfTeam } = limits.spans;

test('a team that floods leaves others room, and all together have a bound', async () => {
  const collector = await startCollector();
  const held: ServerResponse[] = [];
  collector.answer = (response) => held.push(response);
  const { tracer, reached } = opened(collector.url);
  const record = (team: number, count: number) =>
    Array.from({ length: count }, () => tracer.record(work(team))).filter((span) => span !== null).length;
  assert.equal(record(1, 10_000), waitingOfTeam);
  assert.equal(await reached('spans.waitingOfTeam'), 10_000 - waitingOfTeam);
  assert.equal(record(2, 100), 100);
  assert.equal(record(3, 10_000), waiting - waitingOfTeam - 100);
  assert.equal(record(2, 1), 0);
  assert.ok((await reached('spans.waiting')) > 0);
  collector.answer = null;
  for (const response of held) response.writeHead(200).end();
  await until(() => record(1, 1) === 1);
  await tracer.close();
  await collector.stop();
});

const faults: [name: string, answer: (response: ServerResponse) => void][] = [
  ['refuses', (response) => response.writeHead(401).end('no'.repeat(1000))],
  ['resets', (response) => response.socket?.resetAndDestroy()],
  ['redirects', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['answers without an end', (response) => flood(response.writeHead(500))],
  ['drips', (response) => drip(response.writeHead(500))],
  ['asks for a day of patience', (response) => response.writeHead(503, { 'retry-after': '86400' }).end()],
];

for (const [name, answer] of faults)
  test(`spans are lost and counted where the collector ${name}, and the next are sent`, async () => {
    const collector = await startCollector();
    collector.answer = answer;
    const { tracer, told, lost } = opened(collector.url);
    tracer.record(work(1));
    await until(async () => (await lost()) === 1);
    tracer.record(work(1));
    await until(async () => (await lost()) === 2);
    assert.equal(told.length, 1);
    collector.answer = null;
    await sentBy(tracer, collector);
    await collector.stop();
  });

test('a collector that answers 200 and nonsense has taken the spans', async () => {
  const collector = await startCollector();
  collector.answer = (response) => response.writeHead(200).end(randomBytes(10_000));
  const { tracer, told, lost } = opened(collector.url);
  tracer.record(work(1));
  await until(() => collector.requests.length === 1);
  collector.answer = null;
  await sentBy(tracer, collector);
  assert.deepEqual([told, await lost()], [[], 0]);
  await collector.stop();
});

test('the end of the process does not wait for a collector that does not answer', async () => {
  const collector = await startCollector();
  collector.answer = () => {};
  const { tracer, told } = opened(collector.url);
  tracer.record(work(1));
  await tracer.close();
  assert.equal(told.at(-1), 'could not send the last spans');
  assert.equal(collector.spans.length, 0);
  await collector.stop();
});

test('a stop sends all that waits, in more requests than one', async () => {
  const collector = await startCollector();
  const { tracer, told, lost } = opened(collector.url);
  for (const team of [1, 2])
    for (let at = 0; at < waitingOfTeam; at += 1) assert.ok(tracer.record(work(team)));
  await tracer.close();
  assert.deepEqual([collector.spans.length, told, await lost()], [waiting, [], 0]);
  await collector.stop();
});

for (const [name, answer] of [
  ['drips', (response: ServerResponse) => drip(response.writeHead(200))],
  ['does not answer', () => {}],
] as const)
  test(`the program ends in order where the collector ${name}, whatever time it has`, async (t) => {
    const collector = await startCollector();
    t.after(() => collector.stop());
    collector.answer = answer;
    const settings = { SANDPOST_OTLP_URL: collector.url, OTEL_EXPORTER_OTLP_TIMEOUT: '60000' };
    const { program, user } = await scene(settings);
    const traceparent = `00-${randomBytes(16).toString('hex')}-00f067aa0ba902b7-01`;
    await deliverOne(program, { to: user.address, headers: { traceparent } });
    await until(() => collector.requests.length > 0);
    assert.equal(await program.stop(), 0);
    assert.ok(program.log.some(({ msg }) => msg === 'could not send the last spans'));
  });

test('an address that names the path of traces is kept, one with a path gets it behind', async () => {
  const collector = await startCollector();
  for (const path of ['/v1/traces', '/otlp/', '/otlp/v1/traces']) {
    const { tracer } = opened(`${collector.url}${path}`);
    await sentBy(tracer, collector);
  }
  const paths = collector.requests.map(({ path }) => path);
  assert.deepEqual(paths, ['/v1/traces', '/otlp/v1/traces', '/otlp/v1/traces']);
  await collector.stop();
});

test('mail is accepted while no collector listens, and the program ends in order', async () => {
  const { program, user } = await scene({ SANDPOST_OTLP_URL: `http://127.0.0.1:${await freePort()}` });
  const traceparent = `00-${randomBytes(16).toString('hex')}-00f067aa0ba902b7-01`;
  for (let sent = 0; sent < 20; sent += 1)
    await deliverOne(program, { to: user.address, headers: { traceparent } });
  await until(() => program.log.some(({ msg }) => /did not accept spans/.test(String(msg))));
  await deliverOne(program, { to: user.address, headers: { traceparent } });
  assert.equal(await program.stop(), 0);
});

async function sentBy(tracer: ReturnType<typeof openTracer>, collector: Collector): Promise<void> {
  const before = collector.spans.length;
  tracer.record(work(1));
  await tracer.close();
  assert.equal(collector.spans.length, before + 1);
}

function flood(response: ServerResponse): void {
  const more = () => {
    while (response.write('x'.repeat(65_536))) {}
  };
  response.on('drain', more);
  response.on('error', () => {});
  more();
}

/** Writes one byte at intervals, forever. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('x'), 200);
  response.on('error', () => {});
  response.on('close', () => clearInterval(timer));
}
