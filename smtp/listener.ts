import type { AddressInfo, Server, Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import type { Accepted, BaseConnection } from './smtp-server-adapter.ts';

/** Connection of a listener. `checkPace` and `drain` end a dialogue that is too slow, or that the server stops. */
type Dialogue = BaseConnection & { checkPace(now: number): void; drain(): void };

type Choices<Connection> = {
  createConnection(accepted: Accepted): Connection;
  /** Checks whether a peer is a proxy, whose connections begin with a PROXY line. */
  isProxy(address: string): boolean;
};

/** SMTP listener. */
export class Listener<Connection extends Dialogue> extends SMTPServer {
  /** Connections that are not closing. */
  declare readonly connections: Set<Connection>;
  readonly #choices: Choices<Connection>;

  constructor(options: SMTPServerOptions, choices: Choices<Connection>) {
    super(options);
    this.#choices = choices;
  }

  /** Replaces the class of the connections, for which smtp-server has no option. */
  override connect(socket: Socket, options: SMTPConnectionOptions | null = null): void {
    const connection = this.#choices.createConnection({ server: this, socket, options });
    this.connections.add(connection);
    connection.on('error', (error: Error) => this.emit('error', error));
    connection.open();
  }

  /** Replaces the option `useProxy`, which compares a peer with addresses and knows no networks. */
  override _expectsProxyHeader(socket: Socket): boolean {
    return this.#choices.isProxy(socket.remoteAddress ?? '');
  }

  /** Listens, and returns the port. Throws an error that names the `setting` of the port. */
  async open(setting: string, host: string, port: number): Promise<number> {
    const server = await new Promise<Server>((resolve, reject) => {
      const onError = (error: Error) =>
        reject(new Error(`${setting}: cannot listen on ${host}:${port}: ${error.message}`));
      const listening = this.listen(port, host, () => {
        listening.off('error', onError);
        resolve(listening);
      });
      listening.once('error', onError);
    });
    return (server.address() as AddressInfo).port;
  }

  checkPace(): void {
    const now = performance.now();
    for (const connection of [...this.connections]) connection.checkPace(now);
  }

  async drain(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.close(() => resolve()));
    for (const connection of [...this.connections]) connection.drain();
    await closed;
  }
}
