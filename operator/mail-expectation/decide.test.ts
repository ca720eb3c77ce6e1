import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalid } from '#core/errors.ts';
import {
  decideMailExpectation,
  type FoundMessage,
  finishedAt,
  type MailExpectationResource,
  type MailExpectationView,
  queryOf,
} from './decide.ts';

const now = new Date('2026-11-27T10:00:00.000Z');
const wait = { cursor: 4, expiresAt: '2026-11-27T10:05:00.000Z' };

function resource(spec: MailExpectationResource['spec'], status?: object): MailExpectationResource {
  const metadata = { namespace: 'qa', name: 'e', uid: 'u', resourceVersion: '1', generation: 1 };
  return {
    apiVersion: 'sandpost.dev/v1alpha1',
    kind: 'MailExpectation',
    metadata,
    spec,
    ...(status && { status }),
  };
}

const message = (words: Partial<FoundMessage> = {}): FoundMessage => ({
  ...{ id: 9, subject: 'Hello', fromAddress: 'a@b.test', receivedAt: now, code: null, mainLink: null },
  ...words,
});

const view = (words: Partial<MailExpectationView> = {}): MailExpectationView => ({
  ...{ resource: resource({}), owner: 1, lacking: [], refusal: null, wait, found: [], hindrance: null, now },
  ...words,
});

/** View, and the reasons of Ready, Met and Failed with their states, and the delay, or the step. */
const cases: [string, Partial<MailExpectationView>, string][] = [
  [
    'one that is deleted',
    { resource: { ...resource({}), metadata: { ...resource({}).metadata, deletionTimestamp: 'x' } } },
    'nothing',
  ],
  ['one without a team', { owner: null, wait: null }, 'open-team'],
  ['one without mail', {}, 'Waiting True, Waiting False, Waiting False, 300000'],
  ['one that is not heard', { hindrance: 'TooMany' }, 'TooMany False, Waiting False, Waiting False, 60000'],
  ['one with the mail', { found: [message()] }, 'Met True, Arrived True, Met False, null'],
  [
    'one with the mail and past its end',
    { found: [message()], now: new Date(wait.expiresAt) },
    'Met True, Arrived True, Met False, null',
  ],
  [
    'one with too little mail',
    { resource: resource({ count: 2 }), found: [message()] },
    'Waiting True, Waiting False, Waiting False, 300000',
  ],
  [
    'one whose search takes too long',
    { hindrance: 'SearchTimeout' },
    'SearchTimeout False, Waiting False, Waiting False, 60000',
  ],
  [
    'one whose search takes too long at its end',
    { hindrance: 'SearchTimeout', now: new Date(wait.expiresAt) },
    'SearchTimeout False, SearchTimeout False, SearchTimeout True, null',
  ],
  ['one past its end', { now: new Date(wait.expiresAt) }, 'Expired False, Expired False, Expired True, null'],
  [
    'one with a bad query',
    { refusal: invalid('q', 'must be short'), owner: null },
    'InvalidQuery False, InvalidQuery False, InvalidQuery True, null',
  ],
];
for (const [title, words, wanted] of cases) {
  test(`${title}: ${wanted}`, () => {
    const step = decideMailExpectation(view(words));
    if (step.do !== 'report') return assert.equal(step.do, wanted);
    const stateOf = (type: string) => {
      const found = step.findings.find((finding) => finding.type === type);
      return `${found?.reason} ${found?.status}`;
    };
    const states = ['Ready', 'Met', 'Failed'].map(stateOf).join(', ');
    assert.equal(`${states}, ${step.requeueAfterMs}`, wanted);
    assert.ok(step.findings.every(({ message }) => message.length < 1024));
  });
}

/** Returns a status's fields for some messages. */
function fieldsFor(found: FoundMessage[]) {
  const step = decideMailExpectation(view({ found }));
  assert.ok(step.do === 'report');
  return step.fields;
}

test('codes are told once, the newest first, and the link is the newest', () => {
  const found = [
    message({ id: 3, code: '22' }),
    message({ id: 2, code: '11', mainLink: 'https://a.test/2' }),
    message({ id: 1, code: '22', mainLink: 'https://a.test/1' }),
  ];
  const { codes, link, messages } = fieldsFor(found);
  assert.deepEqual(
    [codes, link, messages?.map(({ id }) => id)],
    [['22', '11'], 'https://a.test/2', [3, 2, 1]],
  );
});

test('the status is bounded, whatever mail says', () => {
  const hostile = '\u0000\u001b[31m\u2028\u202e\ud800'.repeat(500);
  const words = { subject: hostile, fromAddress: hostile, code: hostile };
  const found = Array.from({ length: 200 }, (_, id) =>
    message({ ...words, id, code: `${id}${hostile}`, mainLink: `https://a.test/${hostile}` }),
  );
  const fields = fieldsFor(found);
  assert.equal('link' in fields, false);
  assert.deepEqual([fields.messages?.length, fields.codes?.length], [20, 20]);
  const text = JSON.stringify(fields);
  assert.ok(text.length < 40_000);
  assert.doesNotMatch(text, /\\u001b|\\u0000|\\ud800|\u202e|\u2028/);
  assert.equal('link' in fieldsFor([message({ mainLink: `https://a.test/${'x'.repeat(2048)}` })]), false);
});

test('the fields and the search have to match together', () => {
  const { all } = queryOf(resource({ to: 'qa@', from: 'shop', subject: ' ', q: 'code is:unread OR x' }));
  assert.deepEqual(
    all.map((part) => ('field' in part ? `${part.field}:${part.typed}` : Object.keys(part)[0])),
    ['to:qa@', 'from:shop', 'text:code', 'any'],
  );
  assert.deepEqual(queryOf(resource({})).all, []);
  assert.throws(() => queryOf(resource({ q: 'x '.repeat(51) })), /q: must have at most 50 words/);
});

test('the end of the wait is the time of Met or Failed', () => {
  const of = (type: string, status: string) =>
    finishedAt(
      resource(
        {},
        { conditions: [{ type, status, reason: 'x', message: '', lastTransitionTime: now.toISOString() }] },
      ),
    );
  assert.deepEqual([of('Met', 'True'), of('Failed', 'True')], [now, now]);
  assert.deepEqual([of('Met', 'False'), of('Ready', 'True'), finishedAt(resource({}))], [null, null, null]);
});
