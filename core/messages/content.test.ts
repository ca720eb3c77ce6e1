import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Code, Link, LinkKind } from './content.ts';
import { type Found, foundIn } from './content.ts';

const code = (value: string): Code => ({ value, source: 'text' });
const link = (kind: LinkKind, url = `https://app.test/${kind}`): Link => ({ url, text: '', kind });

const cases: [string, Code[], Link[], Found][] = [
  ['nothing', [], [], { code: null, mainLink: null }],
  ['the first code', [code('111111'), code('222222')], [], { code: '111111', mainLink: null }],
  ['an empty code', [code('')], [], { code: null, mainLink: null }],
  [
    'the first link with a purpose',
    [],
    [link('other'), link('unsubscribe'), link('reset'), link('verify')],
    { code: null, mainLink: 'https://app.test/reset' },
  ],
  ['links without a purpose', [], [link('other'), link('unsubscribe')], { code: null, mainLink: null }],
  [
    'links that no page may show',
    [code('1234')],
    [link('verify', 'mailto:a@app.test'), link('verify', 'https:///x'), link('login', 'HTTPS://app.test/l')],
    { code: '1234', mainLink: 'HTTPS://app.test/l' },
  ],
];

for (const [name, codes, links, found] of cases) {
  test(`row of a mail with ${name}`, () => assert.deepEqual(foundIn({ codes, links }), found));
}
