import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { MatchJob } from '#core/delivery/match-mail.ts';
import { createMailMatcher } from './mail-matcher.ts';

const reached: string[] = [];
const matcher = createMailMatcher({ limitReached: (name) => reached.push(name) });
after(() => matcher.close());

const content = { headers: [], attachments: [], codes: [], links: [], cc: [], bcc: [], date: null };

function job(text: string, queries: string[]): MatchJob {
  const search = { subject: 'welcome', sender: '', recipients: '', text };
  return {
    mail: { json: JSON.stringify(content), sizeBytes: 10, search, hasHtml: false },
    targets: [{ ownRecipients: '', addresses: [], authenticatedAs: null }],
    queries,
  };
}

test('rules are applied in another thread', async () => {
  const [matched] = await matcher.matches(7, job('your code', ['code', 'subject:code', 'subject:welcome']));
  assert.deepEqual(matched, new Set([0, 2]));
  assert.deepEqual(reached, []);
});

test('a mail that takes too much time gets what the rules before say, and others are served', async () => {
  const text = 'a'.repeat(262_144);
  const slow = Array.from({ length: 50 }, (_, index) => `-${'a'.repeat(8)}b${index}`).join(' ');
  const jobs = Array.from({ length: 2000 }, () => slow);
  const late = matcher.matches(8, job(text, ['subject:welcome', ...jobs]));
  const [other] = await matcher.matches(9, job('', ['subject:welcome']));
  assert.deepEqual(other, new Set([0]));
  const [matched] = await late;
  assert.ok(matched?.has(0));
  assert.ok((matched?.size ?? 0) < jobs.length);
  assert.deepEqual(reached, ['mail.rulesMs']);
});

test('a mail that has waited for the rules of its team for too long gets none, and those of others do not wait', async () => {
  reached.length = 0;
  const impatient = createMailMatcher({ limitReached: (name) => reached.push(name) }, 0);
  after(() => impatient.close());
  const rulings = await Promise.all(
    [7, 7, 7, 8].map((team) => impatient.matches(team, job('', ['subject:welcome']))),
  );
  assert.deepEqual(
    rulings.map(([matched]) => matched?.size),
    [1, 0, 0, 1],
  );
  assert.deepEqual(reached, ['mail.rulesWaitMs', 'mail.rulesWaitMs']);
  const [matched] = await impatient.matches(7, job('', ['subject:welcome']));
  assert.deepEqual(matched, new Set([0]));
});
