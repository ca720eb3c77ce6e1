import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageContent } from '#core/messages/content.ts';
import { parseQuery } from '#core/query/parse.ts';
import { type MatchJob, matchMail } from './match-mail.ts';

const authentication = {
  ...{ spf: { result: 'pass' }, dkim: [], dmarc: { result: 'fail' }, arc: { result: 'none' } },
};
const content = {
  ...{ msgid: '<a@x>', cc: [], bcc: [], attachments: [], codes: [{ value: '493817' }], links: [] },
  ...{ headers: [{ name: 'X-Run', value: '7' }], authentication, date: null },
  audit: { critical: [], warning: [], info: [], passed: [] },
} as unknown as MessageContent;

function job(
  words: { text?: string; headers?: MessageContent['headers'] } = {},
  ...queries: string[]
): MatchJob {
  const { text = 'your code is 493817', headers = content.headers } = words;
  const search = { subject: 'welcome', sender: 'shop shop@x.test', recipients: 'ann ann@y.test', text };
  return {
    queries,
    mail: {
      ...{ json: JSON.stringify({ ...content, headers }), sizeBytes: 2000 },
      ...{ search, hasHtml: true },
    },
    targets: ['qa+run7@y.test', 'Other@y.test'].map((deliveredTo) => {
      const address = deliveredTo.toLowerCase();
      const sender = { namespace: 'shop', pod: 'web-1', workload: 'Deployment/web' };
      return { ownRecipients: address, addresses: [address], authenticatedAs: 'ci', sender };
    }),
  };
}

const clock = { parse: parseQuery, isLate: () => false };

test('queries see what the mail tells each of its recipients', () => {
  const queries = [
    ...['code', 'from:shop', 'to:ann', 'to:run7', 'address:other@y.test', 'header:x-run=7', 'has:code'],
    ...['has:html', 'has:link', 'spf:pass', 'dmarc:pass', 'larger:1k', 'message-id:a@x', 'authenticated:CI'],
    ...['namespace:shop', 'workload:web'],
  ];
  const matched = matchMail(job({}, ...queries), clock).map((places) => [...places].map((at) => queries[at]));
  const both = queries.filter(
    (q) => !['has:link', 'dmarc:pass', 'to:run7', 'address:other@y.test'].includes(q),
  );
  assert.deepEqual(
    matched.map((own) => own.filter((q) => q !== 'to:run7' && q !== 'address:other@y.test')),
    [both, both],
  );
  assert.deepEqual(
    matched.map((own) => own.filter((q) => !both.includes(q ?? ''))),
    [['to:run7'], ['address:other@y.test']],
  );
});

test('what a mail has beyond the bounds is left out', () => {
  const text = `${'a'.repeat(262_140)} bc ${'d'.repeat(100)}e`;
  const headers = [
    { name: 'X-One', value: `${'a'.repeat(131_060)}bc` },
    { name: 'X-Two', value: 'def' },
  ];
  const queries = ['body:bc', 'body:de', 'header:x-one=bc', 'header:x-two'];
  assert.deepEqual(
    matchMail(job({ text, headers }, ...queries), clock).map((places) => [...places]),
    [
      [0, 2, 3],
      [0, 2, 3],
    ],
  );
  const [, , ...later] = [...headers, { name: 'X-Three', value: 'x' }];
  const sizes = matchMail(job({ headers: [...headers, ...later] }, 'header:x-three'), clock).map(
    ({ size }) => size,
  );
  assert.deepEqual(sizes, [0, 0]);
});

test('queries for which there is no time left do not match', () => {
  let asked = 0;
  const late = { ...clock, isLate: () => ++asked > 3 };
  const [first, second] = matchMail(job({}, 'code', 'code'), late);
  assert.deepEqual([first, second], [new Set([0, 1]), new Set([0])]);
});
