import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withKeys } from '#core/messages/traits.ts';
import { mail } from '#test/once/conformance/mail.ts';
import type { SearchColumns } from './delivery.ts';

const envelope = { helo: null, remoteAddress: null, tls: false, receivedBy: '' };
const target = {
  ...{ owner: 1, accountId: 2, mailbox: 'INBOX' as const, deliveredTo: 'qa+Run@app.test', tag: 'Run' },
  envelope: { ...envelope, mailFrom: 'Bounce@shop.test', rcptTo: ['qa+Run@app.test'] },
};
const other = {
  ...{ owner: 9, accountId: 8, mailbox: 'INBOX' as const, deliveredTo: 'b@b.test', tag: null },
  envelope: { ...envelope, mailFrom: 'Bounce@shop.test', rcptTo: ['b@b.test'] },
};

test('search columns and shown addresses', () => {
  const people = { from: 'Shop@shop.test', to: ['QA@app.test', 'all@app.test'] };
  const found = { ownRecipients: 'qa+run@app.test\nqa@app.test', tags: [], keys: ['a:qa+run@app.test'] };
  const shown = { fromName: null, toAddresses: people.to, ...found };
  const cases: [string, Parameters<typeof mail>[1], SearchColumns, object][] = [
    [
      'a mail with all fields',
      { subject: 'Hello  You', text: 'Some\nText', ...people },
      {
        subject: 'hello you',
        sender: 'shop@shop.test',
        recipients: 'qa@app.test\nall@app.test',
        text: 'some text',
      },
      { ...shown, fromAddress: 'Shop@shop.test' },
    ],
    [
      'the sender of the envelope stands for a missing one',
      { ...people, from: null },
      { subject: 'hello', sender: 'bounce@shop.test', recipients: 'qa@app.test\nall@app.test', text: 'hi' },
      { ...shown, fromAddress: 'Bounce@shop.test' },
    ],
    [
      'recipients of the envelope stand for missing ones, and no other user\u2019s',
      { ...people, to: [] },
      { subject: 'hello', sender: 'shop@shop.test', recipients: '', text: 'hi' },
      { ...shown, fromAddress: 'Shop@shop.test', toAddresses: ['qa+Run@app.test'] },
    ],
  ];
  for (const [name, words, search, columns] of cases) {
    const record = mail([target, other], words);
    assert.deepEqual(record.search, search, name);
    const traits = withKeys(record.targets[0]?.traits ?? 0, found.keys);
    const countedBytes = record.sizeBytes;
    assert.deepEqual(record.targets[0], { ...target, ...columns, traits, countedBytes }, name);
    assert.equal(record.targets[1]?.ownRecipients, 'b@b.test', name);
  }
});

test('tokens have one length, and equal Message-IDs equal tokens', () => {
  const parent = mail([target], { msgid: `<${'x'.repeat(5000)}@a.test>` });
  const child = mail([target], { msgid: '<b>', inReplyTo: `<${'x'.repeat(5000)}@a.test>` });
  assert.equal(parent.tokens.own?.length, 24);
  assert.deepEqual(child.tokens.references, [parent.tokens.own]);
  assert.deepEqual(mail([target]).tokens, { own: null, references: [] });
});

test('subject and Message-ID are cut to their bounds', () => {
  const { subject, msgid } = mail([target], { subject: 'x'.repeat(2000), msgid: 'y'.repeat(2000) });
  assert.deepEqual([subject.length, msgid?.length], [998, 998]);
});
