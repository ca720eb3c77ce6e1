import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authentication } from '#core/messages/content.ts';
import { fine } from '#test/support/program/audit-facts.ts';
import { audit } from './audit.ts';
import type { AuditFacts } from './facts.ts';

const auth = (change: Partial<Authentication>) => ({ authentication: { ...fine.authentication, ...change } });
const spf = (result: Authentication['spf']['result']) =>
  auth({ spf: { result, domain: 'app.test', explanation: 'why' } });

/** Severity and detail of a check. */
function checkOf(change: Partial<AuditFacts>, id: string): { severity: string; detail: string } | null {
  for (const [severity, checks] of Object.entries(audit({ ...fine, ...change }))) {
    const found = checks.find((check) => check.id === id);
    if (found !== undefined) return { severity, detail: found.detail };
  }
  return null;
}

const refused = {
  ...auth({
    dkim: [
      {
        result: 'policy',
        domain: null,
        selector: null,
        aligned: false,
        info: 'the message has more than 20 signatures',
      },
    ],
    dmarc: { result: 'permerror', domain: null, policy: null, alignedSpf: false, alignedDkim: false },
    arc: { result: 'permerror' },
  }),
  limitsReached: ['mail.signatures'],
} satisfies Partial<AuditFacts>;
const unchecked = {
  ...auth({ spf: { result: 'temperror', domain: null, explanation: 'x' }, dkim: [] }),
  signatures: [],
  unchecked: 'reading took more than 10000 ms',
  limitsReached: ['mail.suspectMs'],
} satisfies Partial<AuditFacts>;

const ours: [what: string, change: Partial<AuditFacts>, ids: string[], limit: string][] = [
  ['signatures that were not checked', refused, ['dkim', 'dmarc', 'arc'], 'mail.signatures (20)'],
  ['a mail that was not checked', unchecked, ['spf', 'dkim', 'dmarc', 'arc'], 'mail.suspectMs (10000 ms)'],
  [
    'a mail that was not read',
    { ...unchecked, parseError: 'reading took more than 10000 ms' },
    ['parse', 'dkim'],
    'mail.suspectMs (10000 ms)',
  ],
  [
    'questions beyond the limit',
    { ...spf('temperror'), limitsReached: ['mail.dnsQuestions'] },
    ['spf'],
    'mail.dnsQuestions (40)',
  ],
  ['a slow DNS', { ...spf('temperror'), limitsReached: ['mail.dnsMs'] }, ['spf'], 'mail.dnsMs (5000 ms)'],
  [
    'a record left out',
    { ...spf('none'), limitsReached: ['mail.dnsTextBytes'] },
    ['spf'],
    'mail.dnsTextBytes',
  ],
  ['a long header', { headerLimit: 'mail.headerBytes' }, ['parse'], 'mail.headerBytes (262144 bytes)'],
  ['many parts', { structureLimit: 'mail.parts' }, ['structure'], 'mail.parts (1000)'],
];
for (const [what, change, ids, limit] of ours) {
  test(`${what}: our own limit is named, and the sender is not to blame`, () => {
    for (const id of ids) {
      const check = checkOf(change, id);
      assert.equal(check?.severity, 'warning', id);
      assert.ok(check.detail.includes(`Sandpost's limit ${limit}`), check.detail);
    }
  });
}

test('a mail whose header could not be read lacks nothing', () => {
  const change = { ...unchecked, parseError: 'reading took more than 5000 ms', headers: [] };
  assert.deepEqual([checkOf(change, 'from'), checkOf(change, 'date')], [null, null]);
  assert.equal(checkOf(change, 'parse')?.severity, 'warning');
});
