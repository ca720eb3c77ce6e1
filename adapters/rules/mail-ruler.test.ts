import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { RuleJob } from '#core/delivery/rule-targets.ts';
import type { MailRule } from '#core/rules/mail-rule.ts';
import { createMailRuler } from './mail-ruler.ts';

const reached: string[] = [];
const ruler = createMailRuler({ limitReached: (name) => reached.push(name) });
after(() => ruler.close());

const content = { headers: [], attachments: [], codes: [], links: [], cc: [], bcc: [], date: null };

function job(text: string, queries: string[]): RuleJob {
  const search = { subject: 'welcome', sender: '', recipients: '', text };
  return {
    mail: { json: JSON.stringify(content), sizeBytes: 10, receivedAt: new Date(0), search, hasHtml: false },
    targets: [{ ownRecipients: '', addresses: [], authenticatedAs: null }],
    rules: queries.map(
      (q, index): MailRule => ({
        ...{ id: index + 1, position: index + 1, name: 'a rule', q, active: true, tags: [], mailbox: null },
        ...{ isFlagged: true, isRead: false, expiresIn: null, discard: false, matched: 0, discarded: 0 },
      }),
    ),
  };
}

test('rules are applied in another thread', async () => {
  const [ruling] = await ruler.rule(7, job('your code', ['code', 'subject:code', 'subject:welcome']));
  assert.deepEqual([ruling?.rules, ruling?.isFlagged], [[1, 3], true]);
  assert.deepEqual(reached, []);
});

test('a mail that takes too much time gets what the rules before say, and others are served', async () => {
  const text = 'a'.repeat(262_144);
  const slow = Array.from({ length: 50 }, (_, index) => `-${'a'.repeat(8)}b${index}`).join(' ');
  const jobs = Array.from({ length: 2000 }, () => slow);
  const late = ruler.rule(8, job(text, ['subject:welcome', ...jobs]));
  const [other] = await ruler.rule(9, job('', ['subject:welcome']));
  assert.deepEqual(other?.rules, [1]);
  const [ruling] = await late;
  assert.equal(ruling?.rules[0], 1);
  assert.ok((ruling?.rules.length ?? 0) < jobs.length);
  assert.deepEqual(reached, ['mail.rulesMs']);
});

test('a mail that has waited for the rules of its team for too long gets none, and those of others do not wait', async () => {
  reached.length = 0;
  const impatient = createMailRuler({ limitReached: (name) => reached.push(name) }, 0);
  after(() => impatient.close());
  const rulings = await Promise.all(
    [7, 7, 7, 8].map((team) => impatient.rule(team, job('', ['subject:welcome']))),
  );
  assert.deepEqual(
    rulings.map(([ruling]) => ruling?.rules),
    [[1], [], [], [1]],
  );
  assert.deepEqual(reached, ['mail.rulesWaitMs', 'mail.rulesWaitMs']);
  const [ruling] = await impatient.rule(7, job('', ['subject:welcome']));
  assert.deepEqual(ruling?.rules, [1]);
});
