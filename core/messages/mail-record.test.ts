import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordWith } from '#test/once/conformance/mail.ts';
import type { Code, Found, Link, LinkKind } from './content.ts';
import { contentOf, foundIn, longTexts, withChecks } from './mail-record.ts';

test('a content comes back as it was, with short texts and long ones', () => {
  const texts = ['', 'short', 'x'.repeat(262_144)];
  for (const text of texts) {
    for (const html of [undefined, ...texts]) {
      const content = contentOf(recordWith({ text, ...(html === undefined ? {} : { html }) }));
      assert.equal(content.text, text);
      assert.equal(content.html, html ?? null);
      assert.equal(content.date?.toISOString(), '2026-11-21T10:00:00.000Z');
      assert.equal(content.intro, text.slice(0, 140));
    }
  }
});

test('a content without a date has none', () => {
  assert.equal(contentOf({ json: '{"date":null}', text: null, html: null }).date, null);
});

test('only long texts are bytes, which can be moved', () => {
  const long = 'x'.repeat(262_144);
  const cut = 'x'.repeat(1_048_576);
  const cases: [Parameters<typeof recordWith>[0], number[]][] = [
    [{ text: 'short', html: 'short' }, []],
    [{ text: 'short', html: long }, [long.length]],
    [{ text: `${cut}more`, html: long.slice(1) }, [cut.length, cut.length + 4]],
  ];
  for (const [words, lengths] of cases)
    assert.deepEqual(
      longTexts(recordWith(words)).map(({ length }) => length),
      lengths,
    );
  assert.equal(longTexts(recordWith({ references: Array(60_000).fill(`<${'r'.repeat(20)}>`) })).length, 1);
});

test('surrogates without their pair are kept in what has no column of its own', () => {
  const [field] = contentOf(recordWith({ subject: 'a\uD800b' })).headers;
  assert.equal(field?.value, 'a\uD800b');
});

test('checks of an earlier examination replace those of this one', () => {
  const before = recordWith({ text: 'x'.repeat(2_000_000) });
  const { authentication, ...rest } = contentOf(before);
  const checks = {
    authentication: { ...authentication, header: 'earlier' },
    audit: { critical: [], warning: [], info: [], passed: [{ id: 'a', title: 'b', detail: 'c' }] },
  };
  const after = withChecks(before, checks);
  assert.deepEqual(contentOf(after), { ...rest, ...checks });
  assert.notEqual(after.traits, before.traits, 'of the audit');
  assert.deepEqual({ ...after, json: '', traits: 0 }, { ...before, json: '', traits: 0 });
});

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
