import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import library from 'smtp-server/package.json' with { type: 'json' };
import { smtpServerVersion } from '#smtp/smtp-server-adapter.ts';
import { PacketInput, startDialogue } from '#test/support/clients/adapter-dialogue.ts';
import { until } from '#test/support/runner/until.ts';

test('the installed version is the one whose members are named', () => {
  assert.equal(library.version, smtpServerVersion);
});

test('connect, connections: our connections are listed until they close', async () => {
  await using it = await startDialogue({ closeTimeout: 1 });
  assert.deepEqual([...it.listener.connections], [it.connection]);
  it.listener.close();
  assert.match(await it.client.reply(), /^421 /);
  assert.equal(it.listener.connections.size, 0);
});

test('_expectsProxyHeader: a peer that is a proxy gives the address of the client', async () => {
  await using it = await startDialogue({}, 'PROXY TCP4 192.0.2.7 127.0.0.1 1000 25\r\n');
  assert.equal(it.connection.calls[0], 'admit 192.0.2.7');
});

test('_handleProxy: a peer that is no proxy has the number of its connection in place of a random id', async () => {
  await using it = await startDialogue();
  assert.equal(it.connection.session.id, '1');
});

test('error: a connection emits an error of its socket, and the listener repeats it', async () => {
  await using it = await startDialogue();
  const error = new Error('broken');
  it.socket.emit('error', error);
  assert.deepEqual(it.listener.errors, [error]);
});

test('_setListeners, connectionReady: a client is admitted and greeted before open returns', async () => {
  await using it = await startDialogue();
  assert.deepEqual(it.connection.calls, ['admit 127.0.0.1', '220', 'opened']);
  assert.match(await it.client.command('NOOP'), /^250 /);
  assert.equal(it.connection.session.remoteAddress, '127.0.0.1');
});

test('_createParser, _parser: input is the one of the subclass, until the client leaves', async () => {
  await using it = await startDialogue();
  assert.ok(it.input instanceof PacketInput);
  await it.client.write('x');
  await until(() => it.input.received.length === 1);
  assert.equal(it.connection.input, it.input);
  it.input.next(new Error('bad input'));
  await until(() => it.connection.calls.at(-1) === 'input error');
  assert.ok(!it.connection.calls.includes('421'));
  it.client.destroy();
  it.socket.resume();
  await until(() => it.connection.input === null);
});

test('_write: bytes are passed as they are, and more of them after next', async () => {
  await using it = await startDialogue();
  await it.client.write('a\nb\r');
  await until(() => it.input.received.length === 1);
  await it.client.write('c');
  await until(() => it.socket.bytesRead === 5);
  assert.deepEqual(it.input.received, ['a\nb\r']);
  it.input.next();
  await until(() => it.input.received.length === 2);
  assert.deepEqual(it.input.received, ['a\nb\r', 'c']);
});

test('_write: a command that the end of the connection cuts off is not run', async () => {
  const input = new PacketInput();
  const ended = finished(input);
  input.end('NOOP');
  input.next();
  await ended;
  assert.deepEqual(input.received, ['NOOP']);
});

test('isClosed: input is closed with its connection', async () => {
  await using it = await startDialogue();
  assert.equal(it.input.isClosed, false);
  it.connection.close();
  assert.equal(it.input.isClosed, true);
  await using other = await startDialogue();
  other.client.destroy();
  await until(() => other.input.isClosed);
});

test('send: every reply passes through it, with the enhanced status code of its text, or that of smtp-server', async () => {
  await using it = await startDialogue();
  assert.equal(await it.client.command('NOOP'), '250 2.0.0 OK');
  assert.equal(it.connection.calls.at(-1), '250');
  for (const [text, line] of [
    ['2.6.0 given', '250 2.6.0 given'],
    ['without', '250 without'],
  ] as const) {
    it.connection.reply({ code: 250, text });
    assert.equal(await it.client.reply(), line);
  }
});

test('_socket: replies of one turn are one write', async () => {
  await using it = await startDialogue();
  it.connection.reply({ code: 250, text: 'one' });
  it.connection.reply({ code: 250, text: 'two' });
  assert.equal(it.socket.writableCorked, 1);
  await turn();
  assert.equal(it.socket.writableCorked, 0);
  assert.match(await it.client.reply(), /one$/);
  assert.match(await it.client.reply(), /two$/);
});

test('_socket: closing reads on, closing unread does not', async () => {
  await using it = await startDialogue();
  it.connection.close();
  assert.equal(it.socket.isPaused(), false);
  it.connection.closeUnread();
  assert.equal(it.socket.isPaused(), true);
});

test('_closing: tells that the server has closed its side', async () => {
  await using it = await startDialogue();
  assert.equal(it.connection.isClosing, false);
  it.connection.close();
  assert.equal(it.connection.isClosing, true);
});

test('isDraining: tells that the listener is being closed', async () => {
  await using it = await startDialogue();
  assert.equal(it.connection.listener.isDraining, false);
  void it.listener.drain();
  assert.equal(it.connection.listener.isDraining, true);
});

test('_handlerPending: tells that a command waits for its reply', async () => {
  const waiting: (() => void)[] = [];
  await using it = await startDialogue({
    onMailFrom: (_address, _session, done) => waiting.push(done),
  });
  await it.client.command('EHLO client.test');
  assert.equal(it.connection.isRunningCommand, false);
  const reply = it.client.command('MAIL FROM:<s@s.test>');
  await until(() => waiting.length === 1);
  assert.equal(it.connection.isRunningCommand, true);
  waiting[0]?.();
  assert.match(await reply, /^250 /);
  assert.equal(it.connection.isRunningCommand, false);
});

test('close: smtp-server closes by it', async () => {
  await using it = await startDialogue();
  assert.match(await it.client.command('QUIT'), /^221 /);
  assert.deepEqual(it.connection.calls.slice(3, 5), ['221', 'close']);
  it.client.socket.end();
  await it.client.closed;
});

test('_onClose: called when the client leaves', async () => {
  await using it = await startDialogue();
  it.client.destroy();
  await until(() => it.connection.calls.at(-1) === 'close');
});

test('_onCommand: runs a command, then the next', async () => {
  await using it = await startDialogue();
  assert.match(await it.client.command('EHLO client.test'), /^250/);
  assert.match(await it.client.command('RCPT TO:<r@r.test>'), /^503 5\.5\.1 /);
  assert.match(await it.client.command('NOOP'), /^250 /);
});

test('_whenWritable: waits while replies are unread', async () => {
  await using it = await startDialogue();
  let resumed = 0;
  const resume = () => {
    resumed++;
  };
  it.connection.awaitWritable(resume);
  assert.equal(resumed, 1);
  it.connection.reply({ code: 250, text: 'x'.repeat(1_000_000) });
  it.connection.awaitWritable(resume);
  assert.equal(resumed, 1);
  await until(() => resumed === 2);
});

test('_parseAddressCommand: keeps addresses as they are given', async () => {
  await using it = await startDialogue();
  await it.client.command('EHLO client.test');
  assert.match(await it.client.command('MAIL FROM:<s@xn--bcher-kva.test>'), /^250 /);
  assert.match(await it.client.command('RCPT TO:<@a.test,@b.test:R@xn--bcher-kva.test>'), /^250 /);
  assert.match(await it.client.command('RCPT TO:<"r r@r>".@my_host.test> NOTIFY=NEVER'), /^250 /);
  assert.match(await it.client.command('RCPT TO:<r@r@r.test>'), /^501 5\.1\.3 /);
  const { mailFrom, rcptTo } = it.connection.session.envelope;
  assert.ok(mailFrom);
  assert.equal(mailFrom.address, 's@xn--bcher-kva.test');
  assert.deepEqual(
    rcptTo.map(({ address }) => address),
    ['R@xn--bcher-kva.test', '"r r@r>".@my_host.test'],
  );
});

test('handler_DATA, handler_EXPN, handler_STARTTLS: are called for their commands', async () => {
  await using it = await startDialogue();
  await it.client.command('EHLO client.test');
  assert.match(await it.client.command('DATA'), /^354 Go on/);
  assert.match(await it.client.command('EXPN list'), /^502 5\.5\.1 No/);
  assert.match(await it.client.command('STARTTLS'), /^502 5\.5\.1 No/);
  const calls = it.connection.calls.slice(-6);
  assert.deepEqual(calls, ['data', '354', 'not offered', '502', 'not offered', '502']);
});

test('_transactionCounter, _unrecognizedCommands, _resetSession: a transaction ends', async () => {
  await using it = await startDialogue();
  const { session } = it.connection;
  await it.client.command('EHLO client.test');
  await it.client.command('MAIL FROM:<s@s.test>');
  await it.client.command('RCPT TO:<r@r.test>');
  assert.deepEqual([session.transaction, session.envelope.rcptTo.length], [1, 1]);
  for (let i = 0; i < 9; i++) assert.match(await it.client.command('NONSENSE'), /^500 /);
  it.connection.finishTransaction();
  const { mailFrom, rcptTo } = session.envelope;
  assert.deepEqual([session.transaction, mailFrom, rcptTo], [2, false, []]);
  for (let i = 0; i < 9; i++) assert.match(await it.client.command('NONSENSE'), /^500 /);
  assert.match(await it.client.command('NONSENSE'), /^421 /);
});

test('no other file of smtp/ names a member of smtp-server that the adapter does not offer', async () => {
  await using it = await startDialogue();
  const source = (file: string) => readFileSync(file, 'utf8');
  const namesOf = (...objects: object[]) => objects.flatMap((object) => Object.getOwnPropertyNames(object));
  const server = new SMTPServer({ logger: false });
  const ofLibrary = new Set([
    ...namesOf(SMTPServer.prototype, SMTPConnection.prototype, SMTPStream.prototype),
    ...namesOf(server, new SMTPConnection(server, it.socket), new SMTPStream()),
  ]);
  const adapters = ['smtp-server-adapter', 'input-stream', 'server'].map((part) => `smtp/${part}.ts`);
  const declared = adapters
    .map(source)
    .join('')
    .matchAll(/declare readonly (\w+)/g);
  const offered = new Set(['listen', 'close', ...[...declared].map(([, name]) => name)]);
  const member = /(?<=\b(?:this|super)\.)\w+|(?<=\boverride )\w+(?=\()|\b(?:_|handler_)\w+/g;
  const used = globSync('smtp/*.ts')
    .filter((file) => !adapters.includes(file) && !file.includes('.test.'))
    .flatMap((file) => [...source(file).matchAll(member)].map(([name]) => ({ file, name })));
  assert.ok(used.some(({ name }) => offered.has(name)));
  const unexpected = used.filter(({ name }) => ofLibrary.has(name) && !offered.has(name));
  assert.deepEqual(unexpected, []);
});
