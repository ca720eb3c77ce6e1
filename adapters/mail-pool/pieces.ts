import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';
import type { RawMessage } from '#core/messages/message.ts';
import type { PieceAnswer } from './messages.ts';

const pieceBytes = 262_144;
const headBytes = 65_536;

/** Sends a mail's pieces through `port`, one for each request from the other end, so that none pile up. */
export function servePieces(raw: RawMessage, port: MessagePort, onError: (error: unknown) => void): void {
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
}

/** Requests the pieces from `servePieces` at the other end. Throws where they cannot be read. */
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

/** Wraps a mail in memory as one that is read in pieces. */
export function asRaw(bytes: Uint8Array): RawMessage {
  return {
    sizeBytes: bytes.length,
    async *open({ start, end } = { start: 0, end: bytes.length }) {
      for (let at = start; at < end; at += pieceBytes)
        yield bytes.subarray(at, Math.min(at + pieceBytes, end));
    },
  };
}

/** Reads the beginning of a mail: its header section, rarely more. */
export async function readHead(source: Uint8Array | RawMessage): Promise<Uint8Array> {
  const raw = source instanceof Uint8Array ? asRaw(source) : source;
  const pieces: Uint8Array[] = [];
  const range = { start: 0, end: Math.min(raw.sizeBytes, headBytes) };
  for await (const piece of raw.open(range)) pieces.push(piece);
  return Buffer.concat(pieces).subarray(0, headBytes);
}
