import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authentication } from '#core/messages/content.ts';
import { fine } from '#test/support/program/audit-facts.ts';
import { audit } from './audit.ts';
import type { AuditFacts } from './facts.ts';

const auth = (change: Partial<Authentication>) => ({ authentication: { ...fine.authentication, ...change } });
const spf = (change: Partial<Authentication['spf']>) =>
  auth({ spf: { ...fine.authentication.spf, ...change } });
const dkim = (change: { result: 'pass' | 'fail'; domain?: string | null; info?: string | null }) =>
  auth({ dkim: [{ domain: 'app.test', selector: 's', aligned: true, info: null, ...change }] });
const dmarc = (change: Partial<Authentication['dmarc']>) =>
  auth({ dmarc: { ...fine.authentication.dmarc, ...change } });
const arrival = (receivedAt: string) => ({ receivedAt: new Date(receivedAt) });
const reason = 'the record is too long';

const cases: [change: Partial<AuditFacts>, id: string, title: string, detail: RegExp][] = [
  [
    spf({ result: 'none', domain: null, explanation: reason }),
    'spf',
    'SPF none',
    /: the record is too long\.$/,
  ],
  [spf({ result: 'none', domain: null, explanation: null }), 'spf', 'SPF none', /: no sender is known/],
  [spf({ result: 'pass', domain: null }), 'spf', 'SPF pass', /record for the sender permits/],
  [spf({ result: 'pass' }), 'spf', 'SPF pass', /record for app\.test permits/],
  [spf({ result: 'permerror', explanation: reason }), 'spf', 'SPF permerror', /: the record is too long\.$/],
  [spf({ result: 'permerror', explanation: null }), 'spf', 'SPF permerror', /: it cannot be evaluated\.$/],
  [dkim({ result: 'pass' }), 'dkim', 'DKIM pass for app.test', /is valid/],
  [dkim({ result: 'pass', domain: null }), 'dkim', 'DKIM pass', /is valid/],
  [dkim({ result: 'fail', info: 'bad key' }), 'dkim', 'DKIM fail for app.test', /: bad key\.$/],
  [dkim({ result: 'fail' }), 'dkim', 'DKIM fail for app.test', /: it is not valid\.$/],
  [dmarc({}), 'dmarc', 'DMARC pass', /for app\.test\.$/],
  [dmarc({ domain: null }), 'dmarc', 'DMARC pass', /for the From domain\.$/],
  [dmarc({ result: 'fail' }), 'dmarc', 'DMARC fail', /this mail: reject\.$/],
  [dmarc({ result: 'fail', policy: null }), 'dmarc', 'DMARC fail', /this mail: unknown\.$/],
  [auth({ arc: { result: 'temperror' } }), 'arc', 'ARC temperror', /Send the message again/],
  [auth({ arc: { result: 'fail' } }), 'arc', 'ARC fail', /Look for a relay/],
  [arrival('2026-11-24T10:00:00Z'), 'date-offset', 'Date far off', / 3 days before the message arrived\. /],
  [arrival('2026-11-19T22:00:00Z'), 'date-offset', 'Date far off', / 1\.5 days after the message arrived\. /],
  [
    {
      faults: new Map([
        ['not-closed', 'in'],
        ['no-part', 'out'],
      ]),
    },
    'multipart',
    'Multipart without a part',
    /^Add a part before --out--: a multipart needs at least one; end the last part with the line --in--: without it, the message looks truncated\.$/,
  ],
  [
    { faults: new Map([['undecodable', 'x'.repeat(300)]]) },
    'charset',
    'Undecodable octets',
    /^Encode the text as declared: some octets are not valid x{60}… and /,
  ],
  [{ sizeBytes: 5000 }, 'size', 'Size', /^The message uses 5000 of 10000 bytes \(50%\)\.$/],
  [{ sizeBytes: 9999 }, 'size', 'Size near the limit', /: it uses 9999 of 10000 bytes \(99%\)\.$/],
];

for (const [change, id, title, detail] of cases) {
  test(`${title}: ${detail.source}`, () => {
    const checks = Object.values(audit({ ...fine, ...change })).flat();
    const check = checks.find((candidate) => candidate.id === id);
    assert.equal(check?.title, title);
    assert.match(check.detail, detail);
  });
}

test('DMARC without a domain tells whether From or the DNS is to blame', () => {
  const { critical } = audit({ ...fine, ...dmarc({ result: 'permerror', domain: null, policy: null }) });
  assert.match(critical[0]?.detail ?? '', /^Write one From field/);
  const { warning } = audit({ ...fine, ...dmarc({ result: 'temperror', domain: null, policy: null }) });
  assert.match(warning[0]?.detail ?? '', /^DNS did not answer/);
});
