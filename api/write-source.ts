import type { Id } from '#core/ids.ts';
import type { RawMessage } from '#core/messages/message.ts';
import { turnOf } from '#gate/event-loop.ts';
import { textParts } from './json-pieces.ts';
import type { sourceShape } from './shapes/message-request.ts';
import type { Wire } from './shapes/response-shape.ts';

type Source = Wire<typeof sourceShape>;

/** Fields of a message's source that are known before its bytes are read. */
export type SourceHead = Omit<Source, 'encoding' | 'source' | 'downloadUrl'>;

/**
 * Writes the JSON object of a message's source in pieces: the fields of `told`, the encoding, the source, and the download
 * URL. The source is text if its bytes are valid UTF-8, else base64, so that no byte is lost. It is read twice, since its
 * encoding is written first.
 */
export async function* writeSource(
  user: Id,
  raw: RawMessage,
  told: SourceHead,
  downloadUrl: string,
): AsyncGenerator<Uint8Array> {
  const encoding: Source['encoding'] = (await isUtf8(user, raw)) ? 'utf-8' : 'base64';
  const head = JSON.stringify({ ...told, encoding }).slice(0, -1);
  yield Buffer.from(`${head},"source":"`);
  yield* encoding === 'base64' ? base64(raw) : utf8(raw);
  yield Buffer.from(`","downloadUrl":${JSON.stringify(downloadUrl)}}`);
}

async function isUtf8(user: Id, raw: RawMessage): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const piece of raw.open()) {
      decoder.decode(piece, { stream: true });
      await turnOf(user, { continues: true });
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
    for (const part of textParts(decoder.decode(piece, { stream: true }))) yield Buffer.from(part);
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
