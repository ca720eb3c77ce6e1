import assert from 'node:assert/strict';
import { test } from 'node:test';
import { termsOutsideContent } from '#core/messages/query.ts';
import { asksEnvelope, type MailFacts, matches, partsFor } from './matches.ts';
import { parseQuery } from './parse.ts';

const check = (id: string) => ({ id, title: '', detail: '' });

const facts: MailFacts = {
  search: {
    subject: 'your cafe order',
    sender: 'ann lee ann@shop.test',
    recipients: 'qa qa+run7@app.test\nbob@app.test\nblind@app.test',
    text: 'the code is 493817',
  },
  content: {
    msgid: '<b7@shop.test>',
    cc: [
      { name: 'Bób', address: 'bob@app.test' },
      { name: '', address: 'j@Bücher.example' },
    ],
    bcc: [],
    headers: [
      { name: 'X-Run', value: '7 of Ä' },
      { name: 'x-run', value: '8' },
      { name: 'Subject', value: 'Your café order' },
    ],
    attachments: [
      {
        ...{
          id: 1,
          filename: 'Réport.PDF',
          contentType: 'application/pdf',
          sizeBytes: 1,
          disposition: 'attachment',
        },
        ...{ contentId: null, sha256: '', body: { start: 0, end: 1, encoding: 'base64' } },
      },
    ],
    authentication: {
      spf: { result: 'softfail', domain: null, explanation: null },
      dkim: ['pass', 'fail'].map((result) => {
        return { result: result as 'pass', domain: null, selector: null, aligned: false, info: null };
      }),
      dmarc: { result: 'fail', domain: null, policy: null, alignedSpf: false, alignedDkim: false },
      arc: { result: 'none' },
      header: '',
    },
    audit: { critical: [check('dmarc')], warning: [], info: [], passed: [check('size')] },
    codes: [{ value: '493817', source: 'text' }],
    links: [],
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    submission: { provider: 'sendgrid', request: '' },
  },
  ...{ hasHtml: false, sizeBytes: 2048, addresses: ['qa+run7@app.test'], authenticatedAs: 'CI key' },
  sender: { namespace: 'shop', pod: 'web-5d9-x2', workload: 'Deployment/web' },
};

/** Queries, and whether the email matches. */
const cases: [string, boolean][] = [
  ['', true],
  ['café CODE', true],
  ['"order the"', false],
  ['ann order 493817 bob', true],
  ['order missing', false],
  ['cc:j@bücher.example', true],
  ['cc:j@xn--bcher-kva.example', true],
  ['cc:k@xn--bcher-kva.example', false],
  ['order OR missing', true],
  ['order -missing', true],
  ['-(order OR missing)', false],
  ['-(order missing)', true],
  ['from:ann', true],
  ['from:bob', false],
  ['to:QA+Run7@App.test', true],
  ['to:blind', true],
  ['to:ann', false],
  ['cc:bob', true],
  ['cc:qa', false],
  ['bcc:blind', false],
  ['subject:cafe', true],
  ['subject:code', false],
  ['body:code', true],
  ['body:order', false],
  ['filename:report.pdf', true],
  ['filename:png', false],
  ['header:x-run', true],
  ['header:X-Run=8', true],
  ['header:X-Run=a', true],
  ['header:X-Run=9', false],
  ['header:X-Other', false],
  ['header:Subject=cafe', true],
  ['message-id:b7@shop.test', true],
  ['message-id:<b7@shop.test>', true],
  ['message-id:b7', false],
  ['trace:4BF92f3577b34da6a3ce929d0e0e4736', true],
  ['trace:4bf92f3577b34da6a3ce929d0e0e473', false],
  ['namespace:Shop pod:web-5d9-x2', true],
  ['namespace:sho', false],
  ['pod:web', false],
  ['workload:web workload:deployment/Web', true],
  ['workload:deployment', false],
  ['address:QA+run7@app.test', true],
  ['address:qa@app.test', false],
  ['address:bob@app.test', false],
  ['has:attachment has:code -has:link -has:html', true],
  ['has:link', false],
  ['larger:2k', false],
  ['larger:2047', true],
  ['smaller:2k', false],
  ['smaller:3k', true],
  ['spf:softfail dkim:pass dkim:fail dmarc:fail arc:none', true],
  ['dkim:none', false],
  ['spf:pass', false],
  ['audit:critical', true],
  ['audit:warning', false],
  ['audit:dmarc', true],
  ['audit:size', false],
  ['audit:passed', true],
  ['authenticated:"ci key"', true],
  ['authenticated:ci', false],
  ['provider:SendGrid', true],
  ['provider:resend', false],
];

for (const [text, wanted] of cases) {
  test(`${text} ${wanted ? 'matches' : 'does not match'}`, () => {
    const query = parseQuery(text);
    assert.deepEqual(termsOutsideContent(query), []);
    assert.equal(matches(query, facts), wanted);
    const parts = partsFor(query).map((name) => [name, facts.content[name]]);
    const envelope = asksEnvelope(query) ? {} : { addresses: [], authenticatedAs: null, sender: null };
    const needed = { ...facts, content: Object.fromEntries(parts), ...envelope };
    assert.equal(matches(query, needed), wanted, 'by the needed parts alone');
  });
}

test('terms of the place, the state and the time are not of the mail', () => {
  const names = (text: string) => termsOutsideContent(parseQuery(text)).map(({ field }) => field);
  const beside = ['is:read', 'tag:a', 'in:b', 'account:c', 'domain:d'];
  const times = ['after:2026-01-01', 'before:2026-01-01', 'newer_than:1d', 'older_than:1d'];
  const texts = [...beside, ...times];
  assert.deepEqual(
    names(`a from:b ${texts.join(' -')}`),
    texts.map((text) => text.replace(/(_than)?:.*/, '')),
  );
});
