import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DNSResolver } from 'mailauth';
import { DkimVerifier } from 'mailauth/lib/dkim/dkim-verifier.js';
import { spf } from 'mailauth/lib/spf/index.js';
import { DnsError } from '#adapters/dns/dns.ts';
import { CheckBudget } from './budget.ts';
import { readVerifiable, verifySignatures } from './dkim.ts';
import { judgeSpf } from './results.ts';
import { verifySpf } from './spf.ts';

const mta = 'mx.sandpost.test';
const senders =
  'a@app.test A@App.TEST @app.test a@b@app.test "a@b"@app.test a@app.test. app.test a@localhost a@-app.test a@app-.test a@a_b.test a@app.123 a@1.2 a@192.0.2.1 a@[192.0.2.1] a@xn--mller-kva.test a@xn--.test a@xn--a.test a@xn--0.test a@app.xn--zz.test a@xn--ls8h.test a@müller.test a@a--b.test a@.test a@app..test'.split(
    ' ',
  );
const long = ['63', '64'].map((length) => `a@${'x'.repeat(Number(length))}.test`);
const longest = [252, 253, 254].map((length) => `a@${'x.'.repeat(124)}${'y'.repeat(length - 248)}`);
const answers: Record<string, string[][] | DnsError> = {
  record: [['v=spf1 ip4:192.0.2.0/24 -all']],
  pieces: [['v=sp', 'f1 -all']],
  version: [['v=spf10 -all']],
  twice: [['v=spf1 -all'], ['V=SPF1']],
  other: [['verification=1'], []],
  empty: [],
  missing: new DnsError('ENOTFOUND', 'none'),
  without: new DnsError('ENODATA', 'none'),
  refused: new DnsError('EREFUSED', 'refused'),
  late: new DnsError('ETIMEOUT', 'late'),
};

test('a domain without an SPF record has the result that mailauth gives it', async () => {
  for (const sender of [...senders, ...long, ...longest, 'a b@app.test', 'a@app.test '])
    for (const ip of ['192.0.2.1', '2001:db8::1', '::ffff:192.0.2.1', 'fe80::1%eth0', 'unknown'])
      for (const [name, answer] of Object.entries(answers)) {
        const asked: string[][] = [[], []];
        const resolver =
          (at: number): DNSResolver =>
          async (...question) => {
            asked[at]?.push(question.join(' '));
            if (answer instanceof DnsError) throw answer;
            return answer;
          };
        const checked = { sender, ip, helo: 'client.test', mta };
        const own = await verifySpf(checked, resolver(0));
        const given = await spf({ ...checked, resolver: resolver(1), strict: true });
        assert.deepEqual(judgeSpf(own, mta), judgeSpf(given, mta), `${sender} ${ip} ${name}`);
        assert.deepEqual(asked[0], asked[1], `${sender} ${ip} ${name}`);
      }
});

const heads = [
  'From: a@app.test\r\n',
  'From: A <a@app.test>, b@app.test,\r\n <c@app.test>\r\nSubject: x\r\n',
  'from:\r\n "A, B" <a@app.test>\n\tx\nFROM: Team: a@app.test, Sub <b@app.test>;, c@app.test\n',
  'From : a@app.test\r\n',
  'From: a@app.test\r\nnot a field\r\nFrom: b@app.test\r\n',
  'From: J\xc3\xb6 <j\xc3\xb6@m\xfcller.test> \r\n',
  'From:\r\nTo: b@app.test\r\n',
  'From: undisclosed:;\r\n \r\n',
  'From: a@app.test\rTo: b@app.test\r\n',
  'Subject: x\r\n',
  '',
  'DKIM-Signature: v=1; d=app.test\r\nFrom: a@app.test\r\n',
  'ARC-Seal: i=1; d=app.test\r\nFrom: a@app.test\n',
];

/** Returns what is read of a verification. mailauth reports a missing signature as a result. */
function told({ headerFrom, fromFields, results, arc }: Awaited<ReturnType<typeof verifySignatures>>) {
  const rows = results.map(({ info }) => info).filter((row) => !row.startsWith('dkim=none'));
  return { headerFrom, fromFields, rows, seals: arc.chain?.length || 0 };
}

test('a header section has the authors and signatures that mailauth finds', async () => {
  for (const head of heads)
    for (const end of ['\r\n', '\n', '\r\n\r\nFrom: body@app.test\r\n', '']) {
      const source = Buffer.from(`${head}${end}`, 'latin1');
      const options = { resolver: async () => [], sender: 'a@app.test', strict: true };
      const mailauth = new DkimVerifier(options);
      await mailauth.writeAsync(source);
      await mailauth.finish();
      const verifiable = await readVerifiable(source);
      assert.ok(!('refused' in verifiable));
      const verified = await verifySignatures(verifiable, options, new CheckBudget(1000));
      assert.deepEqual(told(verified), told(mailauth), JSON.stringify(head + end));
    }
});
