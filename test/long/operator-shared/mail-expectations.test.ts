import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { account, domain, mailExpectation, namespace } from '#test/support/kubernetes/custom-resources.ts';
import { bringForward } from '#test/support/kubernetes/definitions.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, operatorScene } from '#test/support/kubernetes/operator-lab.ts';
import { type Process, startProcess } from '#test/support/program/process.ts';
import { deliverOne, type TestMail } from '#test/support/program/program-mail.ts';
import { durationOf, shortest } from '#test/support/runner/shortest.ts';
import { until } from '#test/support/runner/until.ts';

const met = { type: 'Met', status: 'True' };
const waiting = { type: 'Met', status: 'False', reason: 'Waiting' };
const expired = { type: 'Failed', status: 'True', reason: 'Expired' };

suite('a MailExpectation', { skip: noKubernetes }, () => {
  const scene = operatorScene();
  let smtp: Process;
  before(async () => {
    smtp = await startProcess('smtp', scene.lab.settings);
  });
  after(() => smtp.kill());

  const send = (mail: TestMail) => deliverOne({ smtpPort: smtp.ports.smtp }, mail);
  /** Creates a namespace with an account. Returns it with the address. */
  const newInbox = async () => {
    const qa = await scene.lab.newNamespace();
    const to = `qa@${qa}.test`;
    await scene.lab.kubectl.apply(
      domain(qa, 'd', { domain: `${qa}.test` }),
      account(qa, 'a', { address: to }),
    );
    await scene.lab.kubectl.ready(qa, ['domain/d', 'account/a']);
    return { qa, to };
  };
  const expect = (qa: string, spec: object, name = 'e') =>
    scene.lab.kubectl.apply(mailExpectation(qa, name, spec));
  const is = (qa: string, condition: Parameters<typeof conditionIs>[2], name = 'e') =>
    conditionIs(scene.lab.kubectl, ['mailexpectation', qa, name], condition);
  const get = (qa: string, name = 'e'): Promise<Json> => scene.lab.kubectl.get('mailexpectation', qa, name);
  const subjects = ({ status }: Json) => status.messages?.map(({ subject }: Json) => subject);

  test('is met within a second of the mail', async () => {
    const { qa, to } = await newInbox();
    const wait = async () => {
      const name = `e${Date.now()}`;
      await expect(qa, { to }, name);
      await is(qa, waiting, name);
      const until = ['--for=condition=Met', '--timeout=120s'];
      const ended = scene.lab.kubectl.run('wait', '-n', qa, ...until, `spexp/${name}`);
      await send({ to });
      return durationOf(() => ended);
    };
    const took = await shortest(1000, wait);
    assert.ok(took < 1000, `${took} ms`);
  });

  test('shows the code and the link of its mail, and never changes again', async () => {
    const { kubectl } = scene.lab;
    const { qa, to } = await newInbox();
    await expect(qa, { to, subject: 'Sign in' });
    await is(qa, waiting);
    await send({ to, subject: 'Welcome' });
    const link = 'https://app.test/verify?token=7';
    const text = `Your code is 482913. Confirm your address: ${link}`;
    const id = await send({ to, subject: 'Sign in to the shop', text });
    const { status } = await is(qa, met);
    const [message] = status.messages;
    assert.deepEqual(
      [status.messages.length, message.id, message.subject, message.from],
      [1, id, 'Sign in to the shop', 'shop@example.com'],
    );
    assert.match(message.receivedAt, /^20.*Z$/);
    assert.deepEqual([status.codes, status.link], [['482913'], link]);
    assert.match(await kubectl.run('get', 'spexp', '-n', qa), /e +qa@\S+ +Sign in +True +Arrived +482913/);
    const events = (await kubectl.list('events', qa)).filter(
      ({ note, message }) => (note ?? message) === 'the message arrived',
    );
    assert.deepEqual(
      events.map(({ reason, type }) => [reason, type]),
      [['Met', 'Normal']],
    );

    const other = { ...status, codes: ['1'] };
    const patch = JSON.stringify({ status: other });
    const refused = await kubectl.try([
      'patch',
      'spexp',
      'e',
      '-n',
      qa,
      '--subresource=status',
      '--type=merge',
      '-p',
      patch,
    ]);
    assert.match(refused.stderr, /cannot change after it is met/);
    assert.match(await kubectl.refusal(mailExpectation(qa, 'e', { to })), /delete it and create another/);
    await expect(qa, { to, subject: 'Sign in again' }, 'next');
    await is(qa, waiting, 'next');
    await send({ to, subject: 'Sign in again' });
    await kubectl.run('annotate', 'spexp', 'e', '-n', qa, 'look=again');
    await is(qa, met, 'next');
    assert.deepEqual((await get(qa)).status, status);
  });

  test('does not count mail from before its creation, and fails in time', async () => {
    const { qa, to } = await newInbox();
    await send({ to, subject: 'too early' });
    await expect(qa, { to, within: '2s' });
    const failed = await is(qa, expired);
    const took = Date.parse(failed.status.expiresAt) - Date.parse(failed.metadata.creationTimestamp);
    assert.ok(took >= 2000 && took <= 3000, `${took}`);
    assert.deepEqual(failed.status.messages, []);
    const [ready] = failed.status.conditions.filter(({ type }: Json) => type === 'Ready');
    assert.deepEqual([ready.status, ready.message], ['False', '0 of 1 message arrived within 2s']);
    const [event] = (await scene.lab.kubectl.list('events', qa)).filter(({ reason }) => reason === 'Expired');
    assert.equal(event?.type, 'Warning');
    await send({ to, subject: 'too late' });
    assert.deepEqual((await get(qa)).status, failed.status);
  });

  test('counts the mail that came while no operator ran, once', async () => {
    const { qa, to } = await newInbox();
    await expect(qa, { to, count: 3 });
    await is(qa, waiting);
    await send({ to, subject: 'one' });
    await scene.operator.kill();
    await expect(qa, { to, subject: 'two' }, 'unseen');
    await send({ to, subject: 'two' });
    await scene.startAgain();
    assert.deepEqual(subjects(await is(qa, met, 'unseen')), ['two']);
    await send({ to, subject: 'three' });
    assert.deepEqual(subjects(await is(qa, met)), ['three', 'two', 'one']);
  });

  test('is met after a stop of the operator by mail that came before its end, and not by later mail', async () => {
    const { qa, to } = await newInbox();
    await expect(qa, { to, within: '8s' }, 'in-time');
    await expect(qa, { to: 'nobody', within: '1s' }, 'passed');
    await is(qa, waiting, 'in-time');
    const passed = await is(qa, expired, 'passed');
    await expect(qa, { to, subject: 'late', within: '8s' }, 'late');
    await is(qa, waiting, 'late');
    await scene.operator.stop();
    await send({ to, subject: 'early' });
    const { status } = await get(qa, 'late');
    await until(async () => Date.now() > Date.parse(status.expiresAt), 120_000, 100);
    await send({ to, subject: 'late' });
    await scene.startAgain();
    assert.deepEqual(subjects(await is(qa, met, 'in-time')), ['early']);
    assert.deepEqual(subjects(await is(qa, expired, 'late')), []);
    assert.deepEqual((await get(qa, 'passed')).status, passed.status);
  });

  test('sees the mail of its own namespace, and any number of them see the same', async () => {
    const [own, other] = [await newInbox(), await newInbox()];
    const alone = await scene.lab.newNamespace();
    await expect(alone, { within: '20s' });
    await is(alone, waiting);
    for (const name of ['a', 'b']) await expect(own.qa, { q: 'hello OR welcome' }, name);
    await expect(own.qa, { to: other.to }, 'foreign');
    await expect(other.qa, { to: own.to });
    for (const name of ['a', 'b', 'foreign']) await is(own.qa, waiting, name);
    await is(other.qa, waiting);
    await send({ to: own.to, subject: 'Welcome' });
    for (const name of ['a', 'b']) assert.deepEqual(subjects(await is(own.qa, met, name)), ['Welcome']);
    await send({ to: other.to, subject: 'mine' });
    for (const [qa, name] of [
      [own.qa, 'foreign'],
      [other.qa, 'e'],
      [alone, 'e'],
    ] as const)
      assert.deepEqual(
        [(await get(qa, name)).status.messages, (await get(qa, name)).status.conditions.length],
        [undefined, 5],
      );
    // First email in a namespace that had no account.
    const to = `qa@${alone}.test`;
    await scene.lab.kubectl.apply(
      domain(alone, 'd', { domain: `${alone}.test` }),
      account(alone, 'a', { address: to }),
    );
    await scene.lab.kubectl.ready(alone, ['domain/d', 'account/a']);
    await send({ to, subject: 'first' });
    assert.deepEqual(subjects(await is(alone, met)), ['first']);
  });

  test('shows what a stranger sent without characters that a terminal obeys', async () => {
    const { qa, to } = await newInbox();
    await expect(qa, { to });
    await is(qa, waiting);
    const subject = `\u001b[2J\u202egnp.exe\u0007${'\u{1f4a3}'.repeat(300)}`;
    const raw = `From: a@b.test\r\nTo: ${to}\r\nSubject: =?utf-8?b?${Buffer.from(subject).toString('base64')}?=\r\n\r\n\u001b]0;x\u0007`;
    await send({ to, raw });
    const { status } = await is(qa, met);
    assert.match(status.messages[0].subject, /^ ?\[2J gnp\.exe/);
    assert.ok(status.messages[0].subject.length <= 200);
    assert.doesNotMatch(JSON.stringify(status), /\\u001b|\\u0007|\u202e/);
  });

  test('is in the docs as the API server accepts it', async () => {
    const { kubectl } = scene.lab;
    const page = readFileSync('docs/expected-mail.md', 'utf8');
    const blocks = [...page.matchAll(/```yaml\n([^`]*)```/g)].map(([, yaml]) => yaml);
    assert.equal(blocks.length, 2);
    await kubectl.apply(namespace('team-a'));
    const { code, stderr } = await kubectl.try(
      ['apply', '--dry-run=server', '--validate=strict', '-f', '-'],
      blocks.join('---\n'),
    );
    assert.equal(code, 0, stderr);
  });

  test('whose definition is missing leaves the operator at work, and works once it is there', async () => {
    const { kubectl } = scene.lab;
    await scene.operator.stop();
    await kubectl.run('delete', 'crd', 'mailexpectations.sandpost.dev', '--timeout=60s');
    try {
      await scene.startAgain();
      const { qa, to } = await newInbox();
      await bringForward(kubectl);
      await expect(qa, { to });
      await is(qa, waiting);
      await send({ to, subject: 'Hello' });
      await is(qa, met);
    } finally {
      await bringForward(kubectl);
    }
  });

  test('with too many words has failed, and one with a time to live goes', async () => {
    const { qa, to } = await newInbox();
    const q = Array.from({ length: 51 }, (_, at) => `w${at}`).join(' ');
    await expect(qa, { q });
    const { status } = await is(qa, { type: 'Failed', status: 'True', reason: 'InvalidQuery' });
    assert.match(JSON.stringify(status.conditions), /q: must have at most 50 words and operators/);
    await expect(qa, { to, ttlAfterFinished: '1s' }, 'short');
    await is(qa, waiting, 'short');
    await send({ to });
    await until(async () => (await get(qa, 'short')) === null, 120_000, 100);
    await expect(qa, { to: 'x', within: '1s', ttlAfterFinished: '0s' }, 'shorter');
    await until(async () => (await get(qa, 'shorter')) === null, 120_000, 100);
    assert.notEqual(await get(qa), null);
  });
});
