import { setImmediate } from 'node:timers/promises';
import type { RawMessage } from '#core/messages/message.ts';
import type { sourceShape } from './shapes/message-request.ts';
import type { Wire } from './shapes/response-shape.ts';

type Source = Wire<typeof sourceShape>;

/** Fields of a message's source that are known before its bytes are read. */
export type SourceHead = Omit<Source, 'encoding' | 'source' | 'downloadUrl'>;

/**
 * JSON that is written piece by piece as its client takes it. `revision` is a text that changes whenever the bytes change,
 * apart from the program and its base URL.
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
 * Presents a message's source in JSON: the fields of `head`, the encoding, the source, and the download URL. The source is
 * text if its bytes are valid UTF-8, else base64, so that no byte is lost. It is read twice, since its encoding is written
 * first.
 */
export function messageSource(raw: RawMessage, head: SourceHead, downloadUrl: string): JsonSource {
  return new JsonSource(JSON.stringify([head, downloadUrl]), async function* () {
    const encoding: Source['encoding'] = (await isUtf8(raw)) ? 'utf-8' : 'base64';
    yield Buffer.from(`${JSON.stringify({ ...head, encoding }).slice(0, -1)},"source":"`);
    yield* encoding === 'base64' ? base64(raw) : utf8(raw);
    yield Buffer.from(`","downloadUrl":${JSON.stringify(downloadUrl)}}`);
  });
}

/** Checks the bytes, each piece in a turn of the event loop of its own. */
async function isUtf8(raw: RawMessage): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const piece of raw.open()) {
      decoder.decode(piece, { stream: true });
      await setImmediate();
    }
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA')
      return false;
    throw error;
  }
}

/** Writes the source as the inside of a JSON string. Keeps a byte order mark, which is part of the bytes. */
async function* utf8(raw: RawMessage): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const piece of raw.open()) {
    yield Buffer.from(JSON.stringify(decoder.decode(piece, { stream: true })).slice(1, -1));
  }
}

async function* base64(raw: RawMessage): AsyncGenerator<Uint8Array> {
  let rest = Buffer.of();
  for await (const piece of raw.open()) {
    const bytes = Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    rest = bytes.subarray(whole);
    yield Buffer.from(bytes.toString('base64', 0, whole));
  }
  yield Buffer.from(rest.toString('base64'));
}
