import { sendJsonStream } from '#api/message-source.ts';
import { jsonPieces, pieceCharacters } from '#api/middleware/representation.ts';
import { unlessGone } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { MessageSummary } from '#core/messages/message.ts';
import { turnOf } from '#gate/event-loop.ts';
import type { CatcherCall } from './route.ts';

/** Returns the first messages whose total bytes are within the limit on a user's responses, but at least one message. */
export function withinBytes(items: MessageSummary[]): MessageSummary[] {
  let bytes = 0;
  return items.filter(({ sizeBytes }, index) => {
    bytes += sizeBytes;
    return index === 0 || bytes <= limits.answers.unreadBytes;
  });
}

/**
 * Yields a JSON list of messages. `present` reads and presents one message in its own turn, and returns null to omit the message. Also
 * omits messages deleted in the meantime. Returns the number of items.
 */
export async function* listPieces(
  { caller, signal }: CatcherCall,
  items: MessageSummary[],
  present: (item: MessageSummary) => Promise<object | null>,
): AsyncGenerator<string, number> {
  let count = 0;
  for (const item of items) {
    await turnOf(caller.userId, { continues: true });
    signal.throwIfAborted();
    const one = await unlessGone(present(item));
    if (one === null) continue;
    yield count === 0 ? '[' : ',';
    yield* jsonPieces(one);
    count += 1;
  }
  yield count === 0 ? '[]' : ']';
  return count;
}

/** Responds with JSON as fast as the client reads it. */
export async function sendPieces(
  { ctx }: CatcherCall,
  pieces: Iterable<string> | AsyncIterable<string>,
): Promise<undefined> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    let waiting = '';
    for await (const piece of pieces) {
      waiting += piece;
      if (waiting.length < pieceCharacters) continue;
      yield Buffer.from(waiting);
      waiting = '';
    }
    yield Buffer.from(waiting);
  }
  await sendJsonStream(ctx, bytes);
}
