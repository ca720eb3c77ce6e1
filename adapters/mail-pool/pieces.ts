import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { RawMessage } from '#core/messages/message.ts';
import type { PieceAnswer } from './messages.ts';

const pieceBytes = 262_144;
const headBytes = 65_536;

/** Returns a port that carries an email's pieces, one for each request by `pullPieces`, so the pieces do not accumulate. */
export function servePieces(raw: RawMessage, onError: (error: unknown) => void): MessagePort {
  const { port1: port, port2: end } = new MessageChannel();
  let pieces: AsyncIterator<Uint8Array> | null = null;
  port.on('message', async () => {
    try {
      pieces ??= raw.open()[Symbol.asyncIterator]();
      const next = await pieces.next();
      const piece = next.done === true ? null : new Uint8Array(next.value);
      port.postMessage({ piece } satisfies PieceAnswer, piece === null ? [] : [piece.buffer]);
      if (piece === null) port.close();
    } catch (error) {
      onError(error);
      port.postMessage({ error: String(error) } satisfies PieceAnswer);
      port.close();
    }
  });
  port.on('close', () => void pieces?.return?.());
  return end;
}

/** Requests the pieces from `servePieces` at the other end. Throws if they cannot be read. */
export async function* pullPieces(port: MessagePort): AsyncGenerator<Uint8Array> {
  try {
    while (true) {
      port.postMessage(null);
      const [answer] = (await once(port, 'message')) as [PieceAnswer];
      if ('error' in answer) throw new Error(answer.error);
      if (answer.piece === null) return;
      yield answer.piece;
    }
  } finally {
    port.close();
  }
}

/** Wraps an in-memory email so that it can be read in pieces. */
export function asRaw(bytes: Uint8Array): RawMessage {
  return {
    sizeBytes: bytes.length,
    async *open({ start, end } = { start: 0, end: bytes.length }) {
      for (let at = start; at < end; at += pieceBytes)
        yield bytes.subarray(at, Math.min(at + pieceBytes, end));
    },
  };
}

/** Reads the start of an email: its header section, rarely more. */
export async function readHead(source: Uint8Array | RawMessage): Promise<Uint8Array> {
  if (source instanceof Uint8Array) return source.subarray(0, headBytes);
  const range = { start: 0, end: Math.min(source.sizeBytes, headBytes) };
  return Buffer.concat(await Array.fromAsync(source.open(range))).subarray(0, headBytes);
}
