/** Parts of the ws package that Sandpost calls. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  export interface WebSocket extends EventEmitter {
    send(data: Buffer, options: { binary: boolean }, sent: () => void): void;
    ping(): void;
    close(): void;
    terminate(): void;
  }

  export class WebSocketServer {
    constructor(options: {
      noServer: true;
      clientTracking: boolean;
      perMessageDeflate: boolean;
      maxPayload: number;
      closeTimeout: number;
      handleProtocols(): false;
    });
    /** Calls `opened` before it returns, or refuses the handshake and ends the connection. */
    handleUpgrade(
      request: IncomingMessage,
      connection: Duplex,
      head: Buffer,
      opened: (socket: WebSocket) => void,
    ): void;
  }
}
