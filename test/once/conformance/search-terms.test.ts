import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sentBy } from '#core/delivery/with-senders.ts';
import { foldText } from '#core/extraction/search-text.ts';
import { filterWith } from '#core/messages/message-filter.ts';
import type { Query } from '#core/messages/query.ts';
import { parseQuery } from '#core/query/parse.ts';
import { mail } from './mail.ts';
import { idsOf, onEachStore, target } from './scene.ts';

/** Words that emails contain, or nearly contain. */
const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const pod = { namespace: 'shop', pod: 'web-1', workload: 'Deployment/web' };
const words = ['alpha', 'beta', 'Zürich', 'x.*', '50%', 'a_b', 'nowhere'];
const terms = [
  ...words,
  ...[
    'from:ann',
    'to:qa',
    'subject:alpha',
    'body:beta',
    'cc:ann',
    'filename:a',
    'header:subject=alpha',
    'header:x',
  ],
  ...[
    'address:qa+1@app.test',
    'address:qa@app.test',
    'tag:red',
    'tag:blue',
    `trace:${trace}`,
    `trace:${trace.slice(1)}`,
    'in:inbox',
    'in:sent',
    'account:qa@app.test',
  ],
  ...[
    'domain:app.test',
    'is:unread',
    'is:flagged',
    'has:html',
    'has:code',
    'has:link',
    'has:attachment',
    'larger:100',
  ],
  ...[
    'smaller:100',
    'newer_than:1h',
    'dmarc:none',
    'dmarc:pass',
    'spf:pass',
    'dkim:pass',
    'audit:passed',
    'audit:spf',
  ],
  ...['message-id:1@a.test', 'provider:sendgrid', 'authenticated:ann'],
  ...['namespace:shop', 'namespace:other', 'pod:web-1', 'workload:web', 'workload:deployment/web'],
];

const term = fc.tuple(fc.constantFrom('', '', '-'), fc.constantFrom(...terms)).map((parts) => parts.join(''));
const clause = fc.array(term, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' OR '));
const group = fc.tuple(fc.constantFrom('', '-'), clause).map(([not, text]) => `${not}(${text})`);
const anyQuery = fc.array(fc.oneof(clause, group), { maxLength: 4 }).map((parts) => parts.join(' '));

/** Combines the results of single terms, as the query's tree specifies. */
function combine(query: Query, answers: Map<string, Set<number>>, all: number[]): Set<number> {
  const of = (part: Query) => combine(part, answers, all);
  if ('all' in query) return new Set(all.filter((id) => query.all.every((part) => of(part).has(id))));
  if ('any' in query) return new Set(all.filter((id) => query.any.some((part) => of(part).has(id))));
  if ('not' in query) return new Set(all.filter((id) => !of(query.not).has(id)));
  const name = query.field === 'newer' ? 'newer_than' : query.field;
  const text = query.field === 'text' ? query.typed : `${name}:${query.typed}`;
  return answers.get(text) ?? new Set();
}

onEachStore('any query finds what its terms find alone, combined', async ({ store, owner, account }) => {
  const mails = [
    ...['alpha', 'beta alpha', 'Zürich', 'plain x.* 50%', 'a_b'].map((subject, index) =>
      mail([target(account, { deliveredTo: index % 2 ? 'qa+1@app.test' : 'qa@app.test' })], {
        ...{ subject, text: index < 3 ? 'beta' : 'alpha', from: index < 2 ? 'ann@a.test' : 'bob@b.test' },
        ...{ msgid: `<${index}@a.test>`, sizeBytes: 60 * (index + 1) },
        ...(index === 3 && { html: '<p>x</p>' }),
      }),
    ),
    mail([target(account, { tags: ['Red', 'blue'] })], { subject: 'tagged' }),
    mail([target(account, { tags: ['red'] })], { subject: 'tagged too', traceId: trace }),
    mail([target(account)], { subject: 'traced', traceId: trace }),
    sentBy(mail([target(account)], { subject: 'sent by a pod' }), pod),
    sentBy(mail([target(account, { tags: ['red'] })], { subject: 'sent by another' }), {
      ...pod,
      pod: 'web-2',
    }),
    mail([target(account)], { subject: 'of another trace', traceId: trace.replaceAll('4', '5') }),
  ];
  const verdicts = await store.deliveries.commit(mails);
  const ids = verdicts.flatMap((verdict) => ('ids' in verdict ? verdict.ids : []));
  const found = (text: string) => idsOf(store, owner, filterWith({}, parseQuery(text)));
  const answers = new Map<string, Set<number>>();
  for (const text of terms) answers.set(text, new Set(await found(text)));
  for (const [text, size] of [
    ['namespace:shop', 2],
    ['namespace:other', 0],
    ['pod:web-1', 1],
    ['workload:web', 2],
  ] as const)
    assert.equal(answers.get(text)?.size, size, text);
  for (const word of words.slice(0, -1)) assert.notEqual(answers.get(word)?.size, 0, foldText(word));
  await fc.assert(
    fc.asyncProperty(anyQuery, async (text) => {
      const wanted = combine(parseQuery(text), answers, ids);
      assert.deepEqual(new Set(await found(text)), wanted, text);
    }),
    { numRuns: 150 },
  );
});
