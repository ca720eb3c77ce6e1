import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';

/** Called when more bytes may be passed, or with an error after which the input takes no more. */
export type Next = (error?: Error | null) => void;

/** Input of a connection: the stream that its socket is piped into. */
export abstract class BaseInput extends SMTPStream {
  /** Tells whether the connection is closed or closing. Bytes that were received earlier are dropped then. */
  declare readonly isClosed: boolean;

  /** Processes bytes of the client. */
  abstract receive(bytes: Buffer, next: Next): void;

  /**
   * Replaces the parser. It ends a command at a lone LF without reporting it. It removes the dot from lines that follow a
   * lone LF, but not from `.x`. It runs a command that the end of the connection has cut off. Messages pass through a stream
   * of their own, with a turn of the event loop for each stuffed dot.
   */
  override _write(chunk: Buffer, _encoding: string, next: Next): void {
    this.receive(chunk, next);
  }
}
