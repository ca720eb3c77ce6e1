import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Overloaded, StoreFull, StoreUnavailable } from '#core/errors.ts';
import {
  failed,
  MailLoop,
  MessageTooLarge,
  type Reply,
  refusedDelivery,
  refusedRecipient,
  replies,
  stored,
} from './replies.ts';

const codes = ({ code, text }: Reply) => `${code} ${text.split(' ')[0]}`;

test('each refusal has its reply code and enhanced status code', () => {
  const cases: [Reply, string][] = [
    [refusedRecipient('bad-address', 'x'), '501 5.1.3'],
    [refusedRecipient('unknown-domain', 'x'), '550 5.7.1'],
    [refusedRecipient('inactive-domain', 'x'), '450 4.2.1'],
    [refusedRecipient('unverified-domain', 'x'), '450 4.7.1'],
    [refusedRecipient('no-such-account', 'x'), '550 5.1.1'],
    [refusedRecipient('inactive-account', 'x'), '450 4.2.1'],
    [refusedRecipient('no-room', 'x'), '552 5.2.2'],
    [refusedDelivery({ reason: 'gone', address: 'x' }), '550 5.1.1'],
    [refusedDelivery({ reason: 'inactive', address: 'x' }), '450 4.2.1'],
    [refusedDelivery({ reason: 'no-room', address: 'x' }), '552 5.2.2'],
    [failed(new MessageTooLarge()), '552 5.3.4'],
    [failed(new MailLoop()), '554 5.4.6'],
    [failed(new StoreUnavailable()), '451 4.3.0'],
    [failed(new StoreFull()), '452 4.3.1'],
    [failed(new Overloaded('The server is shutting down: try again')), '451 4.3.2'],
    [failed(new TypeError('a bug')), '451 4.3.0'],
    [stored([7, 9]), '250 2.6.0'],
    [replies.tooManyConnections, '421 4.7.0'],
    [replies.shuttingDown, '421 4.3.2'],
  ];
  for (const [reply, expected] of cases) assert.equal(codes(reply), expected);
  assert.equal(stored([7, 9]).text, '2.6.0 stored as 7,9');
  assert.match(refusedDelivery({ reason: 'no-room', address: 'a@b.test' }).text, /a@b\.test/);
});

test('an enhanced status code has the class of its reply code', () => {
  for (const { code, text } of Object.values(replies)) {
    assert.match(text, new RegExp(`^${Math.floor(code / 100)}\\.\\d\\.\\d `));
  }
});
