import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHtml } from '#core/adapters/mime/html-text.ts';
import type { LinkKind } from '#core/messages/content.ts';
import { findLinks } from './links.ts';

const IN_TEXT: { text: string; links: [url: string, kind: LinkKind][] }[] = [
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
  { text: 'https://verify.test/home', links: [['https://verify.test/home', 'other']] },
];

for (const { text, links } of IN_TEXT) {
  test(`finds the links of ${JSON.stringify(text)}`, () => {
    const found = findLinks({ text, html: null, listUnsubscribe: '' });
    assert.deepEqual(
      found.map(({ url, kind }) => [url, kind]),
      links,
    );
  });
}

const IN_HTML: { html: string; url: string; text: string; kind: LinkKind }[] = [
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

for (const { html, url, text, kind } of IN_HTML) {
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
  ]) {
    const body = filler.repeat(2_000_000 / filler.length);
    findLinks({ text: body, html: readHtml(body), listUnsubscribe: body.slice(0, 250_000) });
    findLinks({ text: `http://a.test/${body}`, html: readHtml(`<a ${body}>`), listUnsubscribe: '' });
  }
  const { user } = process.cpuUsage(started);
  assert.ok(user < 6_000_000, `${user} µs`);
});
