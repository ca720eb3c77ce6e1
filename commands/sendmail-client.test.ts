import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { type Submission, SubmissionError, submit } from './sendmail-client.ts';

const good: Record<string, string> = {
  CONNECT: '220-mx.test\r\n220 ready',
  EHLO: '250-mx.test\r\n250-SIZE 1000\r\n250-8BITMIME\r\n250 SMTPUTF8',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  '.': '250 stored',
  QUIT: '221 bye',
};

/** Sends an email to a server that answers each command from a script. An empty reply closes the connection. */
async function dialogue(script: Record<string, string>, mail: Partial<Submission> = {}) {
  const heard: string[] = [];
  const server = createServer((socket) => {
    const reply = (command: string) => {
      const answer = { ...good, ...script }[command];
      if (answer === undefined || answer === '') socket.destroy();
      else socket.write(`${answer}\r\n`);
    };
    let data = false;
    let rest = '';
    socket.on('error', () => {});
    socket.setEncoding('latin1').on('data', (text: string) => {
      const lines = (rest + text).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        heard.push(line);
        const verb = data ? line : (line.split(/[ :]/)[0] ?? '');
        if (data && line !== '.') continue;
        const exact = line in script ? line : verb;
        reply(exact);
        data = verb === 'DATA' && !/^[45]/.test(script.DATA ?? '');
      }
    });
    reply('CONNECT');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    await submit('127.0.0.1', port, {
      helo: 'box.test',
      from: 'a@box.test',
      to: ['b@mx.test', 'c@mx.test'],
      message: 'Subject: a\r\n\r\n.b\r\n',
      ...mail,
    });
    return { heard, error: null };
  } catch (error) {
    assert.ok(error instanceof SubmissionError, String(error));
    return { heard, error };
  } finally {
    server.close();
  }
}

const offers = (...names: string[]) => ({
  EHLO: ['250-mx.test', ...names.map((name) => `250-${name}`), '250 HELP'].join('\r\n'),
});

for (const [what, script] of Object.entries({ 'one by one': {}, 'in a pipeline': offers('PIPELINING') })) {
  test(`gives the message to all recipients, ${what}`, async () => {
    const { heard, error } = await dialogue(script);
    assert.equal(error, null);
    assert.deepEqual(
      heard.filter((line) => /^(EHLO|RCPT|DATA|Subject|\.)/.test(line)),
      ['EHLO box.test', 'RCPT TO:<b@mx.test>', 'RCPT TO:<c@mx.test>', 'DATA', 'Subject: a', '..b', '.'],
    );
  });

  test(`gives the message to nobody if one recipient is refused, ${what}`, async () => {
    const { heard, error } = await dialogue({
      ...script,
      'RCPT TO:<c@mx.test>': '550-no\r\n550 5.1.1 nobody',
    });
    assert.deepEqual(
      [error?.step, error?.code, error?.message],
      ['recipient', 550, 'c@mx.test: 550 5.1.1 nobody'],
    );
    assert.ok(!heard.includes('Subject: a') && !heard.includes('.'), heard.join());
  });
}

test('declares what the server offers and the message needs', async () => {
  const plain = await dialogue({});
  assert.ok(plain.heard.includes('MAIL FROM:<a@box.test> SIZE=18'), plain.heard.join());
  const beyond = await dialogue({}, { to: ['b\u00fc@mx.test'], message: '\r\n\xfc\r\n' });
  const mail = beyond.heard.find((line) => line.startsWith('MAIL')) ?? '';
  for (const word of ['SIZE=5', 'BODY=8BITMIME', 'SMTPUTF8']) assert.ok(mail.split(' ').includes(word), mail);
  const little = await dialogue(offers('HELP'), { message: '\r\n\xfc\r\n' });
  assert.ok(little.heard.includes('MAIL FROM:<a@box.test>'), little.heard.join());
});

const failures: [what: string, script: Record<string, string>, step: string, code: number, text: RegExp][] = [
  ['a greeting of 554', { CONNECT: '554 no' }, 'connect', 554, /^554 no$/],
  ['a greeting of 421', { CONNECT: '421 busy' }, 'connect', 421, /^421 busy$/],
  ['no greeting', { CONNECT: '' }, 'connect', 0, /^127\.0\.0\.1:\d+: /],
  ['a refused sender', { MAIL: '550 5.7.1 not you' }, 'message', 550, /^550 5\.7\.1 not you$/],
  ['a deferred sender', { MAIL: '451 later' }, 'message', 451, /^451 later$/],
  ['a deferred recipient', { RCPT: '450 later' }, 'recipient', 450, /^b@mx\.test: 450 later$/],
  ['refused data', { DATA: '554 no' }, 'message', 554, /^554 no$/],
  ['a refused message', { '.': '554 5.4.6 loop' }, 'message', 554, /^554 5\.4\.6 loop$/],
  ['a message without a reply', { '.': '' }, 'connect', 0, /^127\.0\.0\.1:\d+: /],
  ['a message that is too large', offers('SIZE 10'), 'message', 552, /size/i],
];

for (const [what, script, step, code, text] of failures) {
  test(`reports ${what}`, async () => {
    const { error } = await dialogue(script);
    assert.deepEqual([error?.step, error?.code], [step, code], error?.message);
    assert.match(error?.message ?? '', text);
  });
}

test('sends no address that would be another command', async () => {
  for (const to of ['b@mx.test>\r\nDATA', 'b@mx.test\n', '<b@mx.test>', 'b\0@mx.test']) {
    const { heard, error } = await dialogue({}, { to: [to] });
    assert.deepEqual([error?.step, error?.code, heard], ['recipient', 501, []]);
  }
});
