import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hrefOf, type MailPlace, noFilter, placeOf } from './place-url.ts';

const all: MailPlace = {
  view: 'mail',
  account: null,
  mailbox: null,
  message: null,
  tab: null,
  ...noFilter,
};

const places: [string, ReturnType<typeof placeOf>][] = [
  ['/mail/all', all],
  ['/mail/all/7', { ...all, message: 7 }],
  ['/mail/all/7/headers?q=a%20%26%20b', { ...all, message: 7, tab: 'headers', q: 'a & b' }],
  ['/mail/all?unread=true', { ...all, unread: true }],
  ['/mail/all/7?q=a&is_flagged=true', { ...all, message: 7, q: 'a', is_flagged: true }],
  [
    '/mail/4/21?unread=true&has_attachments=true',
    { ...all, account: 4, mailbox: 21, unread: true, has_attachments: true },
  ],
  ['/mail/4/21', { ...all, account: 4, mailbox: 21 }],
  ['/mail/4/21/7/checks', { ...all, account: 4, mailbox: 21, message: 7, tab: 'checks' }],
  ['/manage/domains', { view: 'manage', page: 'domains' }],
];
for (const [url, place] of places) {
  test(`${url} is a place, and back`, () => {
    assert.deepEqual(placeOf(url), place);
    assert.equal(hrefOf(place), url);
  });
}

const elsewhere = ['/', '/mail', '/mail/', '/mail/all/', '/elsewhere', '/mail/all/-1', '/mail/all/x'];
for (const url of [...elsewhere, '/mail/all?unread=false', '/mail/all?is_flagged=1&q=']) {
  test(`${url} is all mail`, () => assert.deepEqual(placeOf(url), all));
}

test('a mailbox without an account, or one that is no number, is all mail', () => {
  assert.equal(hrefOf(placeOf('/mail/4')), '/mail/all');
  assert.equal(hrefOf(placeOf('/mail/4/x/7')), '/mail/all/7');
});
