import { Readable } from 'node:stream';
import type { Ctx } from './context.ts';

/** RFC 9110 section 8.3.1, with parameters left out: what a mail calls its type may be anything. */
const mediaType = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/i;

/**
 * Answers with bytes of a known length. The first piece is fetched before the head is sent, so that bytes which went away
 * meanwhile are a 404; later trouble breaks the connection off, for a short body must not look whole.
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
    const pieces = open()[Symbol.asyncIterator]();
    const first = await pieces.next();
    ctx.body = Readable.from(startingWith(first, pieces), { objectMode: false });
  }
  ctx.set('Content-Type', type);
  ctx.length = sizeBytes;
  return undefined;
}

async function* startingWith(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let piece = first; !piece.done; piece = await rest.next()) yield piece.value;
  } finally {
    await rest.return?.();
  }
}
