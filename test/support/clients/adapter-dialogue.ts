import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { BaseInput, type Next } from '#smtp/input-stream.ts';
import type { Reply } from '#smtp/replies.ts';
import { Listener } from '#smtp/server.ts';
import * as adapter from '#smtp/smtp-server-adapter.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';

/** Input that runs each packet as one command. Keeps packets without CRLF, and the test calls their `next`. */
export class PacketInput extends BaseInput {
  readonly received: string[] = [];
  next: Next = () => {};
  run: (line: Buffer, done: () => void) => void = () => {};

  receive(bytes: Buffer, next: Next): void {
    this.received.push(bytes.toString());
    if (bytes.at(-1) === 0x0a && bytes.at(-2) === 0x0d) this.run(bytes.subarray(0, -2), next);
    else this.next = next;
  }
}

/** Connection that lists calls to its hooks, and the reply codes. */
class ListingConnection extends adapter.BaseConnection<PacketInput> {
  readonly calls: string[] = [];
  resets = 0;
  readonly firstInput = this.input;
  readonly socket: Socket;

  constructor(accepted: adapter.Accepted) {
    super(accepted);
    this.socket = accepted.socket;
    if (this.input) this.input.run = (line, done) => this.runCommand(line, done);
  }

  createInput() {
    return new PacketInput();
  }

  override open() {
    super.open();
    this.calls.push('opened');
  }

  onOpen() {
    this.calls.push(`admit ${this.remoteAddress}`);
    this.greet();
  }

  onInputError() {
    this.calls.push('input error');
  }

  onData(done: () => void) {
    this.calls.push('data');
    this.reply({ code: 354, text: 'Go on' });
    done();
  }

  onChunk(octets: number, isLast: boolean, done: () => void) {
    this.calls.push(`chunk of ${octets}${isLast ? ', the last' : ''}`);
    this.reply({ code: 250, text: '2.0.0 Taken' });
    done();
  }

  onBadChunk() {
    this.calls.push('bad chunk');
    this.reply({ code: 501, text: '5.5.4 No' });
  }

  onReset() {
    this.resets += 1;
  }

  onNotOffered() {
    this.calls.push('not offered');
    this.reply({ code: 502, text: '5.5.1 No' });
  }

  onReplied({ code }: Reply) {
    this.calls.push(`${code}`);
  }

  onClose() {
    this.calls.push('close');
  }

  checkPace() {}

  drain() {}
}

class TestListener extends Listener {
  created: ListingConnection | null = null;
  proxy = '';
  readonly errors: Error[] = [];

  constructor(options: SMTPServerOptions) {
    super(options, {
      createConnection: (accepted) => {
        this.created = new ListingConnection(accepted);
        return this.created;
      },
      isProxy: (address) => address === this.proxy,
      proxyLineMs: 60_000,
      onProxyTimeout() {},
    });
  }
}

const offline = {
  disabledCommands: ['AUTH'],
  hideSTARTTLS: true,
  hideENHANCEDSTATUSCODES: false,
  disableReverseLookup: true,
  logger: false,
  onConnect: (_session, done) => done(),
} satisfies SMTPServerOptions;

/** Starts a listener with only the smtp-server adapter. Connects a client to it, and waits for the greeting. */
export async function startDialogue(options: SMTPServerOptions = {}, proxyLine = '') {
  const listener = new TestListener({ ...offline, ...options });
  listener.on('error', (error: Error) => listener.errors.push(error));
  if (proxyLine !== '') listener.proxy = '127.0.0.1';
  const server = listener.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new SmtpClient((server.address() as AddressInfo).port);
  await client.write(proxyLine);
  assert.match(await client.reply(), /^220 /);
  const connection = listener.created;
  assert.ok(connection?.firstInput, 'the listener has created a connection with an input');
  return {
    listener,
    client,
    connection,
    input: connection.firstInput,
    socket: connection.socket,
    async [Symbol.asyncDispose]() {
      client.destroy();
      connection.socket.destroy();
      await new Promise<void>((resolve) => listener.close(() => resolve()));
    },
  };
}
