import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Packet } from 'dns2';
import { decodeReply, encodeQuery, isQueryable, replyId } from './upstream.ts';

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
    ttl: 5,
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

test('a query asks for recursion, and says how much fits a datagram', () => {
  const { header, questions, additionals } = Packet.parse(encodeQuery(7, { name: 'a.test', type: 'MX' }));
  assert.deepEqual([header.id, header.rd, header.qr], [7, 1, 0]);
  assert.deepEqual(
    questions.map(({ name, type }) => [name, type]),
    [['a.test', Packet.TYPE.MX]],
  );
  // An EDNS record's class is the size (RFC 6891 section 6.1.2).
  assert.deepEqual(
    additionals.map((record) => record.class),
    [1232],
  );
});

test('names that can be asked for have labels of 1 to 63 octets, 253 in all', () => {
  const label = 'x'.repeat(63);
  const longest = [label, label, label, 'x'.repeat(61)].join('.');
  for (const name of ['a', 'a.test', '_dmarc.a.test', label, longest]) assert.ok(isQueryable(name), name);
  for (const name of ['', '.', 'a..b', 'a.', 'grüße.test', 'a\tb', `x${label}`, `${longest}x`])
    assert.equal(isQueryable(name), false, name);
});

test('a code that no answer about a name has is an error of the server', () => {
  const bytes = reply((packet) => {
    packet.header.rcode = 4;
    packet.answers = [];
  });
  assert.partialDeepStrictEqual(decodeReply(bytes, 7, question), { kind: 'trouble', code: 'EBADRESP' });
});

test('an answer is valid for the least TTL of its chain of records', () => {
  const ttlOf = (...ttls: number[]) => {
    const [first = 0, ...others] = ttls;
    const bytes = reply((packet) => {
      const { A, CNAME } = Packet.TYPE;
      const address = (ttl: number) =>
        new Packet.Resource({ name: 'b.test', type: A, class: 1, ttl, address: '192.0.2.1' });
      const alias = { name: 'a.test', type: CNAME, class: 1, ttl: first, domain: 'B.test' };
      packet.answers = [...others.map(address), new Packet.Resource(alias)];
    });
    const decoded = decodeReply(bytes, 7, question);
    return decoded?.kind === 'found' ? [decoded.ttl, decoded.records.length] : decoded;
  };
  assert.deepEqual(ttlOf(30, 60, 90), [30, 2]);
  assert.deepEqual(ttlOf(90, 60, 30), [30, 2]);
});

test('a negative answer is valid for the time that its zone names', () => {
  const ttlOf = (ttl: number, minimum: number) => {
    const bytes = reply((packet) => {
      packet.answers = [];
      const soa = { primary: 'ns.test', admin: 'a.test', serial: 1, refresh: 1, retry: 1, expiration: 1 };
      packet.authorities = [
        new Packet.Resource({ name: 'test', type: Packet.TYPE.NS, class: 1, ttl: 5, ns: 'ns.test' }),
        new Packet.Resource({ name: 'test', type: Packet.TYPE.SOA, class: 1, ttl, ...soa, minimum }),
      ];
    });
    const decoded = decodeReply(bytes, 7, question);
    return decoded?.kind === 'none' ? decoded.ttl : decoded;
  };
  assert.equal(ttlOf(300, 60), 60);
  assert.equal(ttlOf(60, 300), 60);
});

test('the id of a datagram is read where it has a header', () => {
  assert.equal(replyId(encodeQuery(4711, question)), 4711);
  assert.equal(replyId(Buffer.alloc(12, 1)), 257);
  assert.equal(replyId(Buffer.alloc(11)), null);
});
