import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHtml } from '#adapters/mime/html-text.ts';
import type { LinkKind } from '#core/messages/content.ts';
import { kindOfUrl } from './link-kinds.ts';
import { type LinkSources, readLinks } from './links.ts';

const findLinks = (sources: LinkSources) => readLinks(sources, '').links;

const inText: { text: string; links: [url: string, kind: LinkKind][] }[] = [
  { text: 'Confirm your address:\nhttps://a.test/x?t=1', links: [['https://a.test/x?t=1', 'verify']] },
  { text: 'Reset your password: https://a.test/r/abc.', links: [['https://a.test/r/abc', 'reset']] },
  { text: 'See <https://a.test/verify-email/9>', links: [['https://a.test/verify-email/9', 'verify']] },
  { text: 'Your magic link\n\nhttps://a.test/l/9', links: [['https://a.test/l/9', 'login']] },
  { text: 'Ann invited you to Acme (https://a.test/i/9)', links: [['https://a.test/i/9', 'invite']] },
  { text: 'Unsubscribe: https://a.test/u', links: [['https://a.test/u', 'unsubscribe']] },
  {
    text: 'https://en.test/wiki/Code_(law), and more',
    links: [['https://en.test/wiki/Code_(law)', 'other']],
  },
  { text: 'http://a.test http://a.test', links: [['http://a.test', 'other']] },
  { text: 'HTTPS://A.test/Q!?', links: [['HTTPS://A.test/Q', 'other']] },
  { text: 'ftp://a.test javascript:alert(1) mailto:a@b.test www.a.test http://', links: [] },
  { text: 'Passwort zurücksetzen: https://a.test/1', links: [['https://a.test/1', 'reset']] },
  { text: 'https://my-verify.test/home', links: [['https://my-verify.test/home', 'other']] },
  { text: 'http://verify.test/home', links: [['http://verify.test/home', 'other']] },
  { text: 'https://verify.test?go', links: [['https://verify.test?go', 'other']] },
  { text: 'https://a.test/to?u=http://x/verify', links: [['https://a.test/to?u=http://x/verify', 'verify']] },
  {
    text: `https://a.test/${'x'.repeat(2000)}/verify`,
    links: [[`https://a.test/${'x'.repeat(2000)}/verify`, 'other']],
  },
  { text: `Verify ${'.'.repeat(200)}https://a.test/1`, links: [[`https://a.test/1`, 'other']] },
  { text: `Verify\n${'.'.repeat(200)}\nhttps://a.test/1`, links: [['https://a.test/1', 'verify']] },
  { text: `Verify ${'x'.repeat(200)}\nhttps://a.test/1`, links: [['https://a.test/1', 'other']] },
  {
    text: 'Please verify here: https://a.test/1 or https://a.test/2',
    links: [
      ['https://a.test/1', 'verify'],
      ['https://a.test/2', 'other'],
    ],
  },
  {
    text: 'Verify\nhttps://a.test/1 here\nhttps://a.test/2',
    links: [
      ['https://a.test/1', 'verify'],
      ['https://a.test/2', 'verify'],
    ],
  },
  { text: 'Verify\n1. https://a.test/1', links: [['https://a.test/1', 'verify']] },
  { text: 'Verify\nor: https://a.test/1', links: [['https://a.test/1', 'other']] },
  {
    text: '(https://a.test/(x))), https://a.test/y)',
    links: [
      ['https://a.test/(x)', 'other'],
      ['https://a.test/y', 'other'],
    ],
  },
  { text: 'https://a.test/(x', links: [['https://a.test/(x', 'other']] },
  { text: 'https://a.test/(x).', links: [['https://a.test/(x)', 'other']] },
  { text: '![https://a.test/x](/y)', links: [['https://a.test/x', 'other']] },
  { text: 'https://verify.test/home', links: [['https://verify.test/home', 'other']] },
  { text: 'https://a.test/%76erify', links: [['https://a.test/%76erify', 'verify']] },
  { text: 'https://a.test/best%C3%A4tigen', links: [['https://a.test/best%C3%A4tigen', 'verify']] },
  { text: 'https://a.test/100%/log%69n%ff', links: [['https://a.test/100%/log%69n%ff', 'login']] },
  { text: 'https://a.test/?do=log%5Fin', links: [['https://a.test/?do=log%5Fin', 'login']] },
  // No server decodes twice.
  { text: 'https://a.test/%2576erify', links: [['https://a.test/%2576erify', 'other']] },
  { text: 'https://a.test/?action=unsub', links: [['https://a.test/?action=unsub', 'unsubscribe']] },
  { text: 'https://a.test/option/unsubtle', links: [['https://a.test/option/unsubtle', 'other']] },
];

for (const { text, links } of inText) {
  test(`finds the links of ${JSON.stringify(text)}`, () => {
    const found = findLinks({ text, html: null, listUnsubscribe: '' });
    assert.deepEqual(
      found.map(({ url, kind }) => [url, kind]),
      links,
    );
  });
}

const ofUrls: [path: string, kind: LinkKind][] = [
  ['/orders?id=17', 'other'],
  ['/%76erify', 'verify'],
  ['\\verify', 'verify'],
  ['/log%69n', 'login'],
  ['/%6Cog%5fin', 'login'],
  ['/?action=unsub', 'unsubscribe'],
  ['/UNSUB/9', 'unsubscribe'],
  ['/?a=opt_out', 'unsubscribe'],
  ['/optin?token=1', 'verify'],
  ['/double-opt-in', 'verify'],
  ['/doubleOptIn/9', 'verify'],
  ['/?do=opt%2din', 'verify'],
  [`/${'x'.repeat(1000)}/verify`, 'verify'],
  ['/options', 'other'],
  ['/adopting-a-cat', 'other'],
  ['/adopt-in-spring', 'other'],
];
for (const [path, kind] of ofUrls) {
  test(`a check takes the link to ${path.slice(-30)} for ${kind}`, () => {
    assert.equal(kindOfUrl(`http://a.test${path}`), kind);
  });
}

const inHtml: { html: string; url: string; text: string; kind: LinkKind }[] = [
  {
    html: '<p>Please verify your address.</p><p>Click below.</p><p><a href="https://a.test/c">Open</a></p>',
    url: 'https://a.test/c',
    text: 'Open',
    kind: 'verify',
  },
  {
    html: '<a class="b" href="https://a.test/?a=1&amp;b=2">Verify  <b>email</b></a>',
    url: 'https://a.test/?a=1&b=2',
    text: 'Verify email',
    kind: 'verify',
  },
  {
    html: "<A HREF='https://a.test/auth/verify?type=recovery'>Reset Password</A>",
    url: 'https://a.test/auth/verify?type=recovery',
    text: 'Reset Password',
    kind: 'reset',
  },
  {
    html: '<a href=https://a.test/auth/verify?type=magiclink>Log In</a>',
    url: 'https://a.test/auth/verify?type=magiclink',
    text: 'Log In',
    kind: 'login',
  },
  {
    html: '<a href="https://a.test/join"><img alt="Accept your invitation" src=x></a>',
    url: 'https://a.test/join',
    text: 'Accept your invitation',
    kind: 'invite',
  },
  {
    html: '<a href="mailto:leave@a.test?subject=stop">Unsubscribe</a>',
    url: 'mailto:leave@a.test?subject=stop',
    text: 'Unsubscribe',
    kind: 'unsubscribe',
  },
  {
    html: '<a href="https://a.test/to?mailto:x">Unsubscribe</a>',
    url: 'https://a.test/to?mailto:x',
    text: 'Unsubscribe',
    kind: 'unsubscribe',
  },
  {
    html: '<a href="http://a.test/">Home</a>',
    url: 'http://a.test/',
    text: 'Home',
    kind: 'other',
  },
  {
    html: '<a title="1 > 0" href="https://a.test/">Home',
    url: 'https://a.test/',
    text: 'Home',
    kind: 'other',
  },
  {
    html: '<p>1 < 2 & 3</p><a href="  https://a.test/\n x ">x</a>',
    url: 'https://a.test/ x',
    text: 'x',
    kind: 'other',
  },
];

for (const { html, url, text, kind } of inHtml) {
  test(`finds the link of ${html}`, () => {
    assert.deepEqual(findLinks({ text: null, html: readHtml(html), listUnsubscribe: '' }), [
      { url, text, kind },
    ]);
  });
}

test('lists each URL once, with the first text and kind found for it', () => {
  const html = readHtml(
    '<a href="https://a.test/1"></a><a href="https://a.test/1">Verify</a><a href="javascript:x">x</a>',
  );
  const found = findLinks({
    text: 'https://a.test/1 and https://a.test/2',
    html,
    listUnsubscribe: '<mailto:out@a.test>, <https://a.test/2>, <ftp://a.test/>',
  });
  assert.deepEqual(found, [
    { url: 'https://a.test/1', text: 'Verify', kind: 'verify' },
    { url: 'https://a.test/2', text: '', kind: 'unsubscribe' },
    { url: 'mailto:out@a.test', text: '', kind: 'unsubscribe' },
  ]);
});

test('leaves out links of HTML that lead to no page', () => {
  const html = readHtml(
    '<a href="mailto:qa@app.test">Write</a><a href="tel:1?mailto:x">Unsubscribe</a><a href="ftp://x/http://a.test">x</a>',
  );
  assert.deepEqual(findLinks({ text: null, html, listUnsubscribe: '' }), []);
});

test('reads List-Unsubscribe with white space in it', () => {
  const listUnsubscribe = '<https://a.test/ \t u>, <x-mailto:a@b.test>, <http://a.test/2>';
  const urls = findLinks({ text: null, html: null, listUnsubscribe }).map(({ url }) => url);
  assert.deepEqual(urls, ['https://a.test/u', 'http://a.test/2']);
});

test('bounds the number of links, their length, and the text that is searched', () => {
  const urlsOf = (text: string) => findLinks({ text, html: null, listUnsubscribe: '' }).map(({ url }) => url);
  const many = Array.from({ length: 1001 }, (_, i) => `https://a.test/${i}`);
  assert.deepEqual(urlsOf(many.join(' ')), many.slice(0, 1000));
  const longest = `https://a.test/${'x'.repeat(8192 - 15)}`;
  assert.deepEqual(urlsOf(longest), [longest]);
  assert.deepEqual(urlsOf(`${longest}x https://a.test/short`), ['https://a.test/short']);
  assert.deepEqual(urlsOf(`${'.'.repeat(262_144)} https://a.test/1`), []);
  const links = findLinks({
    text: `${many.slice(0, 1000).join(' ')} and https://a.test/7`,
    html: readHtml('<a href="https://a.test/x y"></a><a href="https://[">broken</a>'),
    listUnsubscribe: '<https://a.test/5>',
  });
  assert.equal(links.length, 1000);
  assert.equal(links.find(({ url }) => url === 'https://a.test/5')?.kind, 'unsubscribe');
  assert.ok(links.every(({ url }) => url !== 'https://['));
});

test('takes linear time on hostile bodies', () => {
  const started = process.cpuUsage();
  for (const filler of [
    '<',
    '<a "',
    '<a href="',
    '<!--',
    '<script>',
    '<a href=x>',
    '&#x',
    '<a b=c ',
    ')',
    'http://a.test/(',
    'http://(((',
    "<a '='",
    '<title>x</title>',
    '<td',
    '<http://a\n',
    '<http://a\nb\n',
    'http://a,http://',
    'http://a.test/日',
    '*http://a*',
    '<a href=//a>x',
    '<area href=x>',
  ]) {
    const body = filler.repeat(2_000_000 / filler.length);
    findLinks({ text: body, html: readHtml(body), listUnsubscribe: body.slice(0, 250_000) });
    findLinks({ text: `http://a.test/${body}`, html: readHtml(`<a ${body}>`), listUnsubscribe: '' });
  }
  const { user } = process.cpuUsage(started);
  assert.ok(user < 6_000_000, `${user} µs`);
});
