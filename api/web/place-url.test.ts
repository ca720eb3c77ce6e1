import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allMail as all, hrefOf, isPlace, placeOf, teamOf } from './place-url.ts';

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
  ['/mail/refused', { view: 'refused' }],
  ['/manage/domains', { view: 'manage', page: 'domains' }],
  ['/invitations/Zk3v_b-Q', { view: 'invitation', token: 'Zk3v_b-Q' }],
];
for (const [url, place] of places) {
  test(`${url} is a place, and back`, () => {
    assert.deepEqual(placeOf(url), place);
    assert.equal(hrefOf(place), url);
  });
}

const elsewhere = ['/', '/mail', '/mail/', '/mail/all/', '/mail/all/-1', '/mail/all/x'];
for (const url of [...elsewhere, '/mail/all?unread=false', '/mail/all?is_flagged=1&q=']) {
  test(`${url} is all mail`, () => assert.deepEqual(placeOf(url), all));
}

for (const path of ['/elsewhere', '/mailx', '/team', '/team/x/mail', '/team/7/elsewhere', '/invitations']) {
  test(`${path} is nowhere`, () => assert.deepEqual(placeOf(path), { view: 'nowhere' }));
}

test('a mailbox without an account, or one that is no number, is all mail', () => {
  assert.equal(hrefOf(placeOf('/mail/4')), '/mail/all');
  assert.equal(hrefOf(placeOf('/mail/4/x/7')), '/mail/all/7');
});

for (const [url, place] of places.filter(([, { view }]) => view !== 'invitation')) {
  test(`/team/7${url} is the same place in a team, and back`, () => {
    assert.deepEqual(placeOf(`/team/7${url}`), place);
    assert.equal(hrefOf(place, 7), `/team/7${url}`);
  });
}

const teams: [string, number | null][] = [
  ['/', null],
  ['/mail/7', null],
  ['/team/7', 7],
  ['/team/7/', 7],
  ['/team/7/mail/all/3', 7],
  ['/team/12/manage/team', 12],
  ['/team/0/mail', null],
  ['/team/x/mail', null],
  ['/team/7x/mail', null],
  ['/invitations/7', null],
];
for (const [path, team] of teams) {
  test(`${path} is in team ${team}`, () => assert.equal(teamOf(path), team));
}

test('links within the page are told from others', () => {
  for (const path of ['/', '/mail', '/manage/keys', '/team/7', '/team/7/', '/team/7/mail/all'])
    assert.ok(isPlace(path), path);
  for (const path of ['/api/docs', '/mailx', '/team', '/team/x/mail', '/team/7/api', '/invitations/x'])
    assert.ok(!isPlace(path), path);
});
