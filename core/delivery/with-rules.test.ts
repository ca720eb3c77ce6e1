import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Id } from '#core/ids.ts';
import type { ReadScope } from '#core/reads.ts';
import type { MailRule } from '#core/rules/mail-rule.ts';
import type { DeliveryStore, DeliveryVerdict, PreparedMail, PreparedTarget } from './delivery.ts';
import { withRules } from './with-rules.ts';

const rule: MailRule = {
  ...{ id: 5, position: 1, name: 'a rule', q: 'x', active: true, tags: [], mailbox: 'Old', isFlagged: false },
  ...{ isRead: false, expiresIn: null, discard: false, matched: 0, discarded: 0 },
};
const receivedAt = new Date(0);
const many = (from: number, count: number) => Array.from({ length: count }, (_, index) => `t${from + index}`);

function mail(...owners: Id[]): PreparedMail {
  const targets = owners.map((owner) => {
    const place = { owner, mailbox: 'INBOX', ownRecipients: '', deliveredTo: 'a@x.test', envelope: {} };
    const found = { tags: ['Smoke'], keys: ['a:a@x.test', 't:smoke'], traits: 0 };
    return { ...place, ...found } as unknown as PreparedTarget;
  });
  return { json: '{}', search: {}, html: null, receivedAt, targets } as unknown as PreparedMail;
}

/**
 * Store whose teams have rules of some versions, and which refuses mail with rules of another version. `changes`: commit numbers before
 * which each team's version rises.
 */
function scene(versions: [Id, number][], { known = 100, changes = 0, rules = [rule] } = {}) {
  const current = new Map(versions);
  const log: string[] = [];
  const committed: PreparedMail[] = [];
  const versionOf = ({ owner, ruled }: PreparedTarget) => `${owner}v${ruled ? (ruled.version ?? '*') : 0}`;
  let left = changes;
  const deliveries = {
    async commit(mails: PreparedMail[]): Promise<DeliveryVerdict[]> {
      if (left > 0) for (const [team, version] of current) current.set(team, version + 1);
      left -= 1;
      log.push(`commit ${mails.map(({ targets }) => targets.map(versionOf).join('+')).join(' ')}`);
      committed.splice(0, committed.length, ...mails);
      return mails.map(({ targets }) => {
        const isStale = targets.some(
          ({ owner, ruled }) =>
            ruled?.version !== null && (current.get(owner) ?? 0) !== (ruled?.version ?? 0),
        );
        return isStale ? { reason: 'new-rules', address: 'a@x.test' } : { ids: [1], commits: [] };
      });
    },
  } as unknown as DeliveryStore;
  const ports = {
    rows: {
      async read(_: string, { team = 0 }: ReadScope) {
        log.push(`read ${team}`);
        return { version: current.get(team) ?? 0, rules } as never;
      },
    },
    matcher: {
      async matches(team: Id, { targets, queries }: { targets: unknown[]; queries: string[] }) {
        log.push(`rule ${team}`);
        return targets.map(() => new Set(queries.keys()));
      },
    },
  };
  return { log, committed, store: withRules(deliveries, ports, known) };
}

const stored = { ids: [1], commits: [] };

test('mail of teams without rules is committed at once, and nothing is read', async () => {
  const { log, store } = scene([[8, 1]]);
  assert.deepEqual(await store.commit([mail(7), mail(9)]), [stored, stored]);
  assert.deepEqual(log, ['commit 7v0 9v0']);
});

test('rules are read when a commit tells of them, and kept for the next mail', async () => {
  const { log, store } = scene([[7, 3]]);
  assert.deepEqual(await store.commit([mail(7, 8), mail(8)]), [stored, stored]);
  assert.deepEqual(log.splice(0), ['commit 7v0+8v0 8v0', 'read 7', 'read 8', 'rule 7', 'commit 7v3+8v0']);
  await store.commit([mail(7)]);
  assert.deepEqual(log, ['rule 7', 'commit 7v3']);
});

test('mails that wait for the same rules read them once', async () => {
  const { log, store } = scene([[7, 3]]);
  await Promise.all([1, 2, 3].map(() => store.commit([mail(7)])));
  assert.deepEqual(
    log.filter((line) => line.startsWith('read')),
    ['read 7'],
  );
});

test('a team whose rules are not active or gone has its version, and no rule is applied', async () => {
  for (const rules of [[], [{ ...rule, active: false }]]) {
    const { log, store } = scene([[7, 3]], { rules });
    await store.commit([mail(7)]);
    assert.deepEqual(log, ['commit 7v0', 'read 7', 'commit 7v3']);
  }
});

test('tags of rules are added to those of the message, each once, up to twenty', async () => {
  for (const [tags, expected] of [
    [
      ['smoke', 'money'],
      ['Smoke', 'money'],
    ],
    [many(0, 20), ['Smoke', ...many(0, 19)]],
  ] as const) {
    const { committed, store } = scene([[7, 3]], { rules: [{ ...rule, tags: [...tags] }] });
    await store.commit([mail(7)]);
    const [target] = committed[0]?.targets ?? [];
    assert.deepEqual(target?.tags, expected);
    assert.deepEqual(target?.keys, ['a:a@x.test', ...expected.map((tag) => `t:${tag.toLowerCase()}`)]);
    assert.notEqual(target?.traits, 0);
  }
});

test('rules that change with each commit delay a mail by two commits, for their team and others', async () => {
  const { log, store } = scene([[7, 3]], { changes: 9 });
  assert.deepEqual(await store.commit([mail(7, 8)]), [stored]);
  assert.deepEqual(
    log.filter((line) => line.startsWith('commit')),
    ['commit 7v0+8v0', 'commit 7v4+8v0', 'commit 7v*+8v*'],
  );
});

test('rules of few teams are kept in memory: the oldest are read again', async () => {
  const teams: [Id, number][] = [
    [1, 1],
    [2, 1],
    [3, 1],
  ];
  const { log, store } = scene(teams, { known: 4 });
  for (const [team] of teams) await store.commit([mail(team)]);
  log.splice(0);
  for (const team of [3, 2, 1]) await store.commit([mail(team)]);
  assert.deepEqual(
    log.filter((line) => line.startsWith('read')),
    ['read 1'],
  );
});
