import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { StoreUnavailable } from '#core/errors.ts';
import type { NewRefusal } from '#core/refusals/refusal.ts';
import type { Limits, SmtpServices } from '#smtp/shared.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { listen, memoryServices } from '#test/support/program/smtp-services.ts';
import { until } from '#test/support/runner/until.ts';

/** Teams by domain. */
const teams: Record<string, number> = { 'known.test': 1, 'other.test': 2 };
const everybody = { owner: 7, kind: 'account', name: 'a@known.test', proof: '' } as const;

type Replaced = { limits?: Partial<Limits>; services?: Partial<SmtpServices> };

/** Starts a listener. `told` lists its refusals: team, stage, reply, recipients, reason. */
async function start(t: TestContext, { limits = {}, services = {} }: Replaced = {}) {
  const noted: NewRefusal[] = [];
  const plain = memoryServices().services;
  const memory = memoryServices({
    deliveries: {
      ...plain.deliveries,
      async lookUp(domain, addresses) {
        const owner = teams[domain];
        const answer = await plain.deliveries.lookUp('known.test', addresses);
        if (owner === undefined || answer === null) return null;
        const accounts = addresses[0]?.startsWith('nobody') ? [] : answer.accounts;
        return { domain: { ...answer.domain, owner }, accounts };
      },
    },
    refusals: { note: (refusal) => noted.push(refusal) },
    ...services,
  });
  const { port } = await listen(t, memory.services, limits);
  const told = async (count: number) => {
    await until(() => noted.length >= count);
    return noted.map(
      ({ team, stage, reply, rcptTo, reason }) => `${team} ${stage} ${reply} [${rcptTo}] ${reason}`,
    );
  };
  return { port, noted, told };
}

const begun = ['MAIL FROM:<s@s.test>', 'RCPT TO:<x@known.test>'];
const text = 'Subject: a\r\n\r\nb\r\n.';

/** Commands of a client that has sent EHLO, and who sees the last reply, with and without `everybody`. */
const cases: [commands: string[], everybody: string, others: string[]][] = [
  [['NONSENSE'], '7 connect 500 5.5.2 Error: command not recognized [] bad-command', []],
  [['EHLO a b'], '7 connect 501 Error: syntax: EHLO hostname [] bad-command', []],
  [['AUTH GSSAPI'], '7 auth 504 5.5.4 Error: Unrecognized authentication type [] bad-command', []],
  [['AUTH PLAIN no*base64'], '7 auth 501 5.5.2 The response is not base64 [] bad-command', []],
  [['AUTH LOGIN', '*'], '7 auth 501 5.5.4 Authentication aborted [] bad-command', []],
  [['MAIL FROM:s@s.test'], '7 mail 501 5.1.7 Error: Bad sender address syntax [] bad-command', []],
  [
    ['MAIL FROM:<s@s.test> RET=NO'],
    '7 mail 501 5.5.4 Invalid RET parameter value. Must be FULL or HDRS [] bad-command',
    [],
  ],
  [
    ['MAIL FROM:<s@s.test> SIZE=99999999'],
    '7 mail 552 5.3.4 Error: message exceeds fixed maximum message size 26214400 [] too-large',
    [],
  ],
  [['RCPT TO:<x@s.test>'], '7 rcpt 503 5.5.1 Error: need MAIL command [x@s.test] bad-command', []],
  [
    ['RCPT TO:<x@other.test>'],
    '2 rcpt 503 5.5.1 Error: need MAIL command [x@other.test] bad-command',
    ['2 rcpt 503 5.5.1 Error: need MAIL command [x@other.test] bad-command'],
  ],
  [
    [...begun, 'RCPT TO:<a b@other.test>'],
    '2 rcpt 501 5.1.3 Error: Bad recipient address syntax [a b@other.test] bad-address',
    ['2 rcpt 501 5.1.3 Error: Bad recipient address syntax [a b@other.test] bad-address'],
  ],
  [
    ['MAIL FROM:<s@s.test>', 'RCPT TO:<"\u200b"@known.test>'],
    '1 rcpt 501 5.1.3 Error: Bad recipient address syntax ["\u200b"@known.test] bad-address',
    ['1 rcpt 501 5.1.3 Error: Bad recipient address syntax ["\u200b"@known.test] bad-address'],
  ],
  [
    ['MAIL FROM:<s@s.test>', 'RCPT TO:<=?utf-8?q?a?=@known.test>'],
    '1 rcpt 501 5.1.3 <=?utf-8?q?a?=@known.test> is not a valid recipient address [=?utf-8?q?a?=@known.test] bad-address',
    [
      '1 rcpt 501 5.1.3 <=?utf-8?q?a?=@known.test> is not a valid recipient address [=?utf-8?q?a?=@known.test] bad-address',
    ],
  ],
  [
    [...begun, 'RCPT TO:<y@other.test> NOTIFY=NO'],
    '2 rcpt 501 5.5.4 Error: NOTIFY parameter must be NEVER, SUCCESS, FAILURE, or DELAY [y@other.test] bad-command',
    [
      '2 rcpt 501 5.5.4 Error: NOTIFY parameter must be NEVER, SUCCESS, FAILURE, or DELAY [y@other.test] bad-command',
    ],
  ],
  [
    [...begun, 'RCPT TO:<y@known.test>', 'RCPT TO:<z@other.test>'],
    '2 rcpt 452 4.5.3 Error: too many recipients [z@other.test] too-many-recipients',
    ['2 rcpt 452 4.5.3 Error: too many recipients [z@other.test] too-many-recipients'],
  ],
  [
    [...begun, 'MAIL FROM:<s@s.test>'],
    '1 mail 503 5.5.1 Error: nested MAIL command [x@known.test] bad-command',
    ['1 mail 503 5.5.1 Error: nested MAIL command [x@known.test] bad-command'],
  ],
  [
    ['MAIL FROM:<s@s.test> BODY=BINARYMIME', 'RCPT TO:<x@known.test>', 'RCPT TO:<y@other.test>', 'DATA'],
    '1 data 503 5.5.1 This message needs BDAT instead of DATA [x@known.test] bad-command',
    [
      '1 data 503 5.5.1 This message needs BDAT instead of DATA [x@known.test] bad-command',
      '2 data 503 5.5.1 This message needs BDAT instead of DATA [y@other.test] bad-command',
    ],
  ],
  [
    [...begun, 'GET / HTTP/1.1'],
    '1 connect 421 4.7.0 This is SMTP, not HTTP [x@known.test] bad-command',
    ['1 connect 421 4.7.0 This is SMTP, not HTTP [x@known.test] bad-command'],
  ],
  [['MAIL FROM:<s@s.test>', 'DATA'], '7 data 503 5.5.1 No recipient was accepted [] bad-command', []],
  [['STARTTLS'], '7 connect 502 5.5.1 Command not supported [] bad-command', []],
  [['VRFY'], '7 connect 501 5.5.4 Error: Syntax: VRFY address [] bad-command', []],
  [
    ['BDAT'],
    '7 data 501 5.5.4 BDAT needs a number of octets, and LAST for the last chunk; closing the connection [] bad-command',
    [],
  ],
  [
    ['NOOP \u0000'],
    '7 connect 501 5.5.2 A command must be UTF-8 without control characters and end with CRLF [] bad-command',
    [],
  ],
  [
    [`NOOP ${'x'.repeat(3000)}`],
    '7 connect 500 5.5.2 Command line too long, closing the connection [] bad-command',
    [],
  ],
];

for (const [commands, ofEverybody, ofOthers] of cases)
  test(`${commands.at(-1)?.slice(0, 50)} behind ${commands.length - 1} commands is told to those that it concerns`, async (t) => {
    for (const [services, wanted] of [
      [{ everybody }, null],
      [{}, ofOthers],
    ] as const) {
      const { port, noted, told } = await start(t, { limits: { recipients: 2 }, services });
      const client = await SmtpClient.open(port);
      let reply = '';
      for (const command of commands) reply = await client.command(command);
      if (wanted === null) assert.equal((await told(1))[0], ofEverybody);
      else if (wanted.length > 0) assert.deepEqual(await told(wanted.length), wanted);
      assert.ok(
        noted.every((one) => one.reply === reply),
        'the reply as it was sent',
      );
      client.destroy();
    }
  });

test('what follows a refused recipient is told to its team, in that mail alone, and without the reply to DATA', async (t) => {
  const { port, told } = await start(t);
  const client = await SmtpClient.open(port);
  for (const command of ['MAIL FROM:<s@s.test>', 'RCPT TO:<nobody@known.test>', 'DATA', 'NONSENSE', 'RSET'])
    await client.command(command);
  await client.command('MAIL FROM:<s@s.test>');
  await client.command('RCPT TO:<nobody@other.test>');
  client.destroy();
  assert.deepEqual(await told(3), [
    '1 rcpt 550 5.1.1 <nobody@known.test>: no such account [nobody@known.test] no-such-account',
    '1 connect 500 5.5.2 Error: command not recognized [] bad-command',
    '2 rcpt 550 5.1.1 <nobody@other.test>: no such account [nobody@other.test] no-such-account',
  ]);
});

test('a refusal after the content is told once', async (t) => {
  const commit = async () => {
    throw new StoreUnavailable();
  };
  const { deliveries } = memoryServices().services;
  const { port, told, noted } = await start(t, { services: { deliveries: { ...deliveries, commit } } });
  const client = await SmtpClient.open(port);
  for (const command of [...begun, 'DATA', text, 'QUIT']) await client.command(command);
  assert.deepEqual(await told(1), [
    '1 end 451 4.3.0 The store is unavailable, try again later [x@known.test] try-again',
  ]);
  assert.equal(noted.length, 1);
});

test('a client that is too slow or silent is told of by the reply that it got', async (t) => {
  const { port, told } = await start(t, { limits: { idleMs: 100, paceMs: 120, paceBytes: 1000 } });
  const slow = await SmtpClient.open(port);
  await slow.begin('s@s.test', ['x@known.test']);
  await slow.closed;
  const silent = await SmtpClient.open(port);
  await silent.command('MAIL FROM:<s@s.test>');
  await silent.command('RCPT TO:<x@other.test>');
  await silent.closed;
  assert.deepEqual(await told(2), [
    '1 end 421 4.4.2 Too slow, closing the connection [x@known.test] connection-lost',
    '2 connect 421 4.4.2 No command received in time, closing the connection [x@other.test] idle',
  ]);
});

test('a session has few refused commands in the list', async (t) => {
  const { port, noted, told } = await start(t, { services: { everybody } });
  const client = await SmtpClient.open(port);
  for (let count = 0; count < 30; count += 1) await client.command('RCPT TO:<>');
  client.destroy();
  await told(20);
  const other = await SmtpClient.open(port);
  await other.command('NONSENSE');
  other.destroy();
  assert.equal((await told(21)).length, 21);
  assert.equal(noted.at(-1)?.stage, 'connect');
});

/** Opens a connection that exceeds the limit. */
async function refused(port: number) {
  const client = new SmtpClient(port);
  assert.equal(await client.reply(), '421 4.7.0 Too many connections, try again later');
  client.destroy();
}
const tooMany = (team: number) =>
  `${team} connect 421 4.7.0 Too many connections, try again later [] too-many-connections`;

test('a connection too many is told to the only team, which the settings name', async (t) => {
  for (const [services, team] of [
    [{ everybody }, 7],
    [{ captureAddress: 'all@other.test' }, 2],
  ] as const) {
    const { port, told } = await start(t, { limits: { connectionsPerAddress: 1 }, services });
    const client = await SmtpClient.open(port);
    await refused(port);
    assert.deepEqual(await told(1), [tooMany(team)]);
    client.destroy();
  }
});

test('a connection too many is told to the team that its address sent to last, or sends to next', async (t) => {
  const { port, told, noted } = await start(t, { limits: { connectionsPerAddress: 1 } });
  const client = await SmtpClient.open(port);
  await refused(port);
  await client.begin('s@s.test', ['x@known.test']);
  assert.deepEqual(await told(1), [tooMany(1)]);
  await refused(port);
  assert.deepEqual(await told(2), [tooMany(1), tooMany(1)]);
  for (const { helo, mailFrom, remoteAddress } of noted)
    assert.deepEqual([helo, mailFrom, remoteAddress], [null, null, '127.0.0.1'], 'nothing of a mail');
  client.destroy();
});

test('a flood of connections drops no other refusals: 20 of an address are told in a minute', async (t) => {
  const { port, told, noted } = await start(t, { limits: { connectionsPerAddress: 1 } });
  const client = await SmtpClient.open(port);
  await client.begin('s@s.test', ['x@known.test']);
  for (let count = 0; count < 30; count += 1) await refused(port);
  assert.deepEqual(await told(20), Array(20).fill(tooMany(1)));
  assert.equal(noted.length, 20);
  client.destroy();
});

test('connections too many are logged in one line a minute, with their setting', async (t) => {
  const lines: object[] = [];
  const { log } = memoryServices().services;
  const warn = (line: object) => lines.push(line);
  const services = { log: Object.assign(Object.create(log), { warn }) };
  const { port } = await start(t, { limits: { connectionsPerAddress: 1 }, services });
  const client = await SmtpClient.open(port);
  for (let count = 0; count < 3; count += 1) await refused(port);
  client.destroy();
  assert.deepEqual(lines, [
    {
      event: 'connections.refused',
      connections: 1,
      remoteAddress: '127.0.0.1',
      setting: 'SANDPOST_SMTP_MAX_CONNECTIONS_PER_ADDRESS',
    },
  ]);
});
