import type { Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import type { Accepted, BaseConnection } from './smtp-server-adapter.ts';

/** SMTP listener. */
export abstract class BaseListener<Connection extends BaseConnection> extends SMTPServer {
  /** Connections that are not closing. */
  declare readonly connections: Set<Connection>;

  abstract createConnection(accepted: Accepted): Connection;
  /** Tells whether a peer is a proxy, whose connections begin with a PROXY line. */
  abstract isProxy(address: string): boolean;

  /** Replaces the class of the connections, for which smtp-server has no option. */
  override connect(socket: Socket, options: SMTPConnectionOptions | null = null): void {
    const connection = this.createConnection({ server: this, socket, options });
    this.connections.add(connection);
    connection.on('error', (error: Error) => this.emit('error', error));
    connection.open();
  }

  /** Replaces the option `useProxy`, which compares a peer with addresses and knows no networks. */
  override _expectsProxyHeader(socket: Socket): boolean {
    return this.isProxy(socket.remoteAddress ?? '');
  }
}
