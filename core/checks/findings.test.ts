import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckedMail, HtmlFacts } from './facts.ts';
import { checkContent, clippedFrom } from './findings.ts';

const none = { count: 0, line: 0 };
const html: HtmlFacts = {
  bytes: 1000,
  uses: [{ slug: 'css-color-scheme', count: 1, line: 1 }],
  places: { noAlt: none, noSize: none, dataImage: none, pixel: none, lowContrast: none },
  leastContrast: null,
  hasLang: true,
  preheader: 'Your order',
};
const words = 'alpha bravo charlie delta echo foxtrot golf hotel india juliet';
const mail: CheckedMail = {
  subject: 'Hello',
  text: words,
  html,
  seen: { text: words, anchors: [] },
  links: [],
  headers: [],
  dkim: [],
};

const link = (url: string) => ({ links: [{ url, text: '', kind: 'other' as const }] });
const anchor = (href: string, text: string) => ({ seen: { text: words, anchors: [{ href, text }] } });
const places = (kind: keyof HtmlFacts['places'], count: number) => ({
  html: { ...html, places: { ...html.places, [kind]: { count, line: 7 } } },
});

/** Finding for an email that differs in some facts: severity and ID, and text in its detail. */
const cases: [facts: Partial<CheckedMail>, expected: string, detail?: string][] = [
  [{ html: { ...html, bytes: clippedFrom } }, 'passed clipping'],
  [{ html: { ...html, bytes: clippedFrom + 1 } }, 'warning clipping', '104449'],
  [{ html: { ...html, hasLang: false } }, 'warning html-lang'],
  [{}, 'passed html-lang'],
  [places('noAlt', 1), 'warning image-alt', '1 image has no alt text (line 7). '],
  [places('noSize', 3), 'info image-size', '3 images have no size (first in line 7). '],
  [places('dataImage', 1), 'warning image-data'],
  [places('pixel', 1), 'info image-pixel'],
  [
    {
      html: { ...html, ...places('lowContrast', 2).html, leastContrast: { ratio: 1.23, colours: 'a on b' } },
    },
    'warning contrast',
    '2 texts fail the 4.5:1 contrast minimum (first in line 7). Lowest: 1.2:1 (a on b).',
  ],
  [{}, 'passed contrast'],
  [{}, 'passed dark-mode'],
  [{ html: { ...html, uses: [] } }, 'info dark-mode'],
  [{}, 'passed preheader', 'Your order'],
  [{ html: { ...html, preheader: '' } }, 'info preheader', 'alpha bravo'],
  [{}, 'passed text-part', '100%'],
  [{ text: null }, 'warning text-part', 'Add'],
  [{ text: ' \n' }, 'warning text-part', 'Add'],
  [{ text: null, html: null, seen: null }, 'passed text-part'],
  [{ text: 'Alpha, BRAVO; charlie. Delta echo' }, 'passed text-part', '50%'],
  [{ text: 'alpha bravo charlie delta zulu' }, 'warning text-part', '40%'],
  [{ text: 'zulu', seen: { text: 'alpha bravo', anchors: [] } }, 'passed text-part'],
  [{}, 'passed template-variables'],
  [{ subject: 'Hi {{ user.name }}' }, 'warning template-variables', '{{ user.name }}'],
  [{ text: `${words} *|FNAME|*` }, 'warning template-variables', '*|FNAME|*'],
  [
    { seen: { text: `${words} %%emailaddr%% ${'$'}{name}`, anchors: [] } },
    'warning template-variables',
    `%%emailaddr%%, ${'$'}{name}`,
  ],
  [link('https://a.shop/%7B%7Bid%7D%7D'), 'warning template-variables', '{{id}}'],
  [{ text: `${words} 100%% sure, or 50%% off {} {{}} $5` }, 'passed template-variables'],
  [
    anchor('https://evil.shop/x', 'https://bank.com/login'),
    'warning link-text',
    'bank.com leads to evil.shop',
  ],
  [anchor('https://evil.shop/x', ' www.bank.com '), 'warning link-text'],
  [anchor('https://click.bank.com/x', 'https://www.bank.com'), 'passed link-text'],
  [anchor('https://bank.com/x', 'click.bank.com'), 'passed link-text'],
  [anchor('https://notbank.com/x', 'bank.com'), 'warning link-text'],
  [anchor('https://evil.shop/x', 'invoice.pdf'), 'passed link-text'],
  [anchor('https://evil.shop/x', 'Go to the shop. Now'), 'passed link-text'],
  [anchor('mailto:a@bank.com', 'bank.com'), 'passed link-text'],
  [link('http://shop.com/'), 'warning link-http', 'http://shop.com/'],
  [link('https://shop.com/'), 'passed link-http'],
  ...[
    'localhost:3000',
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.0.1',
    '[::1]:80',
    '[fd00::1]',
    'api',
    'app.test',
    'www.example.com',
    'printer.local',
    'x.example.',
  ].map((host): [Partial<CheckedMail>, string] => [link(`https://${host}/x`), 'warning link-local']),
  ...['shop.com', '8.8.8.8', '172.32.0.1', 'contest.com', 'myexample.com', '[2606:4700::1]'].map(
    (host): [Partial<CheckedMail>, string] => [link(`https://${host}/x`), 'passed link-local'],
  ),
];

test('each finding has its severity and its facts', () => {
  for (const [facts, expected, detail = ''] of cases) {
    const findings = checkContent({ ...mail, ...facts });
    const name = `${expected} of ${JSON.stringify(facts)}`;
    const found = findings.find(({ id }) => id === expected.split(' ')[1]);
    assert.equal(`${found?.severity} ${found?.id}`, expected, name);
    assert.ok(found?.detail.includes(detail), `${name}: ${found?.detail}`);
  }
});

test('ids are unique, and details are short', () => {
  const long = Array.from(
    { length: 1000 },
    (_, at) => link(`http://localhost/${'x'.repeat(5000)}${at}`).links[0],
  );
  const findings = checkContent({ ...mail, links: long.filter((one) => one !== undefined) });
  assert.equal(new Set(findings.map(({ id }) => id)).size, findings.length);
  for (const { detail } of findings) assert.ok(detail.length < 500, detail);
});

const oneClick = [
  { name: 'List-Unsubscribe', value: '<mailto:u@a.test>, <https://a.test/u>' },
  { name: 'list-unsubscribe-post', value: ' List-Unsubscribe=One-Click' },
];
const signature = (fields: string) => ({
  name: 'DKIM-Signature',
  value: `v=1; a=rsa-sha256; d=A.test; s=s1;\r\n h=${fields}; b=ab=c=`,
});
const passed = { result: 'pass' as const, domain: 'a.test', selector: 's1', aligned: true, info: null };

const unsubscribeCases: [
  headers: CheckedMail['headers'],
  dkim: CheckedMail['dkim'],
  ...expected: string[],
][] = [
  [[], [], 'info one-click-unsubscribe'],
  [oneClick.slice(0, 1), [], 'warning one-click-unsubscribe'],
  [
    [{ name: 'List-Unsubscribe', value: '<http://a.test>' }, ...oneClick.slice(1)],
    [],
    'warning one-click-unsubscribe',
  ],
  [oneClick, [], 'passed one-click-unsubscribe', 'warning one-click-signature'],
  [
    [...oneClick, signature('From : List-Unsubscribe:\r\n List-Unsubscribe-Post')],
    [passed],
    'passed one-click-unsubscribe',
    'passed one-click-signature',
  ],
  [
    [...oneClick, signature('from:list-unsubscribe')],
    [passed],
    'passed one-click-unsubscribe',
    'warning one-click-signature',
  ],
  [
    [...oneClick, signature('from:list-unsubscribe:list-unsubscribe-post')],
    [{ ...passed, result: 'fail' }],
    'passed one-click-unsubscribe',
    'warning one-click-signature',
  ],
  [
    [...oneClick, signature('from:list-unsubscribe:list-unsubscribe-post')],
    [{ ...passed, selector: 's2' }],
    'passed one-click-unsubscribe',
    'warning one-click-signature',
  ],
];

test('one-click unsubscribe needs its two fields, and a valid signature over both', () => {
  for (const [headers, dkim, ...expected] of unsubscribeCases) {
    const found = checkContent({ ...mail, headers, dkim }).filter(({ id }) => id.startsWith('one-click'));
    assert.deepEqual(
      found.map(({ severity, id }) => `${severity} ${id}`),
      expected,
      JSON.stringify([headers, dkim]),
    );
  }
});
