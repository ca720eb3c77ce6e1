import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Ctx } from './context.ts';

/** Media type (RFC 9110 section 8.3.1), without parameters. The type that a mail declares may be any text. */
const mediaType = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/i;

/**
 * Answers with bytes of a known length. Fetches the first piece before it sends the head, so that bytes deleted meanwhile
 * give a 404. A later failure closes the connection, since a short body must not look complete.
 */
export async function sendBytes(
  ctx: Ctx,
  contentType: string,
  sizeBytes: number,
  open: () => AsyncIterable<Uint8Array>,
): Promise<undefined> {
  ctx.set('Cache-Control', 'private, no-cache');
  const type = mediaType.test(contentType) ? contentType : 'application/octet-stream';
  if (ctx.method === 'HEAD') {
    ctx.status = 200;
  } else {
    ctx.body = await startedStream(open());
  }
  ctx.set('Content-Type', type);
  ctx.length = sizeBytes;
  return undefined;
}

/** Returns a stream whose first piece has been read. An error up to then can still be answered. */
export async function startedStream(source: AsyncIterable<Uint8Array>): Promise<Readable> {
  const pieces = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  return Readable.from(startingWith(first, pieces), { objectMode: false });
}

async function* startingWith(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let piece = first; !piece.done; piece = await rest.next()) {
      yield piece.value;
      // A connection that takes everything at once never pauses by itself. Others are served between two pieces.
      await setImmediate();
    }
  } finally {
    await rest.return?.();
  }
}
