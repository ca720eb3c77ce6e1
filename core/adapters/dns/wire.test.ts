import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Packet } from 'dns2';
import { decodeReply, encodeQuery } from './wire.ts';

const question = { name: 'a.test', type: 'A' } as const;

function reply(change: (packet: Packet) => void = () => {}): Buffer {
  const packet = Packet.parse(encodeQuery(7, question));
  packet.header.qr = 1;
  const { A: type } = Packet.TYPE;
  packet.answers.push(new Packet.Resource({ name: 'A.test', type, class: 1, ttl: 60, address: '192.0.2.1' }));
  change(packet);
  return packet.toBuffer();
}

test('decodes an answer to the question', () => {
  const decoded = decodeReply(reply(), 7, question);
  assert.equal(decoded?.kind, 'found');
});

const strangers: Record<string, Buffer> = {
  'of another id': reply(({ header }) => {
    header.id = 8;
  }),
  'that is a query': reply(({ header }) => {
    header.qr = 0;
  }),
  'to another name': reply(({ questions }) => Object.assign(questions[0] ?? {}, { name: 'b.test' })),
  'to another type': reply(({ questions }) => Object.assign(questions[0] ?? {}, { type: 16 })),
  'to no question': reply((packet) => {
    packet.questions = [];
  }),
  'that is empty': Buffer.alloc(0),
  'that is cut off': reply().subarray(0, 14),
};
for (const [what, bytes] of Object.entries(strangers)) {
  test(`rejects a message ${what}`, () => assert.equal(decodeReply(bytes, 7, question), null));
}

test('reports an answer that cannot be decoded in full', () => {
  const bytes = reply();
  const address = bytes.indexOf(Buffer.from([192, 0, 2, 1]));
  bytes.writeUInt16BE(400, address - 2);
  assert.equal(decodeReply(bytes, 7, question)?.kind, 'trouble');
});

test('ignores records outside the CNAME chain', () => {
  const bytes = reply(({ answers }) => Object.assign(answers[0] ?? {}, { name: 'other.test' }));
  assert.deepEqual(decodeReply(bytes, 7, question), {
    kind: 'none',
    code: 'ENODATA',
    ttl: 0,
    octets: bytes.length,
  });
});

test('ends a circle of aliases', () => {
  const alias = (name: string, domain: string) =>
    new Packet.Resource({ name, type: Packet.TYPE.CNAME, class: 1, ttl: 60, domain });
  const bytes = reply((packet) => {
    packet.answers = [alias('a.test', 'b.test'), alias('b.test', 'a.test')];
  });
  assert.equal(decodeReply(bytes, 7, question)?.kind, 'none');
});

test('decodes any bytes without throwing', () => {
  const bytes = reply();
  for (let at = 0; at < bytes.length; at++) {
    for (const value of [0, 1, 0x3f, 0x80, 0xc0, 0xff]) {
      const changed = Buffer.from(bytes);
      changed[at] = value;
      decodeReply(changed, 7, question);
      decodeReply(changed.subarray(0, at), 7, question);
    }
  }
});
