import { Readable } from 'node:stream';
import type { Id } from '#core/ids.ts';
import { toBase64 } from '#core/messages/attachment-body.ts';
import type { RawMessage } from '#core/messages/message.ts';
import { turnOfStream } from '#gate/event-loop.ts';
import { type Ctx, partyOf } from './context.ts';
import type { sourceShape } from './shapes/message-request.ts';
import type { Wire } from './shapes/response-shape.ts';

type Source = Wire<typeof sourceShape>;

/** Fields that are known before a message's source is read. */
export type SourceHead = Omit<Source, 'encoding' | 'source' | 'downloadUrl'>;

/**
 * JSON written piece by piece as its client reads it. `revision` is a string that changes whenever the bytes change, apart from the
 * program and its base URL.
 */
export class JsonSource {
  readonly revision: string;
  readonly open: () => AsyncIterable<Uint8Array>;

  constructor(revision: string, open: () => AsyncIterable<Uint8Array>) {
    this.revision = revision;
    this.open = open;
  }
}

/**
 * Presents a message's source as JSON: the fields of `head`, the encoding, the source, and the download URL. The source is text if its
 * bytes are valid UTF-8, otherwise base64, so no byte is lost. It is read twice because its encoding is written first. `user`: the user
 * in whose turn it is read.
 */
export function messageSource(user: Id, raw: RawMessage, head: SourceHead, downloadUrl: string): JsonSource {
  return new JsonSource(JSON.stringify([head, downloadUrl]), async function* () {
    const encoding: Source['encoding'] = (await isUtf8(user, raw)) ? 'utf-8' : 'base64';
    yield Buffer.from(`${JSON.stringify({ ...head, encoding }).slice(0, -1)},"source":"`);
    yield* encoding === 'base64' ? toBase64(raw.open()) : utf8(raw);
    yield Buffer.from(`","downloadUrl":${JSON.stringify(downloadUrl)}}`);
  });
}

/** Checks whether the bytes are UTF-8, each piece in a separate turn of the event loop. */
async function isUtf8(user: Id, raw: RawMessage): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const piece of raw.open()) {
      decoder.decode(piece, { stream: true });
      await turnOfStream(user);
    }
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      return false;
    throw error;
  }
}

/** Writes the source as the content of a JSON string. Keeps a byte order mark, which is part of the bytes. */
async function* utf8(raw: RawMessage): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const piece of raw.open()) {
    yield Buffer.from(JSON.stringify(decoder.decode(piece, { stream: true })).slice(1, -1));
  }
}

/** Media type (RFC 9110 section 8.3.1), without parameters. An email can declare any text as its type. */
const mediaType = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/i;

/**
 * Responds with bytes of a known length. Reads the first piece before it sends the head, so bytes deleted in the meantime cause a 404. A
 * later failure closes the connection, because a truncated body must not look complete.
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
    ctx.body = await startedStream(ctx, open());
  }
  ctx.set('Content-Type', type);
  ctx.length = sizeBytes;
}

/** Responds with JSON as it is read. */
export async function sendJsonStream(ctx: Ctx, open: () => AsyncIterable<Uint8Array>): Promise<void> {
  ctx.status = 200;
  if (ctx.method !== 'HEAD') ctx.body = await startedStream(ctx, open());
  ctx.type = 'application/json';
}

/** Returns a stream whose first piece has been read. If reading that piece fails, the client can still get an error response. */
async function startedStream(ctx: Ctx, source: AsyncIterable<Uint8Array>): Promise<Readable> {
  const pieces = source[Symbol.asyncIterator]();
  const first = await pieces.next();
  return Readable.from(startingWith(partyOf(ctx), first, pieces), { objectMode: false });
}

async function* startingWith(
  user: Id | null,
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    for (let piece = first; !piece.done; piece = await rest.next()) {
      yield piece.value;
      // A connection that accepts everything immediately never pauses by itself, so other users get their turn between two pieces.
      await turnOfStream(user);
    }
  } finally {
    await rest.return?.();
  }
}
