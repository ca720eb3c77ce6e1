import { startedStream } from '#api/message-source.ts';
import { piecesOf } from '#api/middleware/representation.ts';
import { NotFound } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { MessageSummary } from '#core/messages/message.ts';
import { turnOf } from '#gate/event-loop.ts';
import type { CatcherCall } from './route.ts';

/** Characters of JSON that are sent at a time, at least. */
const sentCharacters = 32_768;

/** Returns the first messages whose bytes are at most those of the answers to a user, and at least one. */
export function withinBytes(items: MessageSummary[]): MessageSummary[] {
  let bytes = 0;
  return items.filter(({ sizeBytes }, index) => {
    bytes += sizeBytes;
    return index === 0 || bytes <= limits.answers.unreadBytes;
  });
}

/** Yields JSON as `JSON.stringify` writes it, with long texts in pieces. The levels of a value are bounded by its maker. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (!hasLong(value)) yield JSON.stringify(value);
  else if (typeof value === 'string') {
    yield '"';
    for (const piece of piecesOf(value)) yield JSON.stringify(piece).slice(1, -1);
    yield '"';
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ',';
      yield* jsonPieces(item);
    }
    yield ']';
  } else {
    const entries = Object.entries(value ?? {}).filter(([, item]) => item !== undefined);
    for (const [index, [name, item]] of entries.entries()) {
      yield `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`;
      yield* jsonPieces(item);
    }
    yield '}';
  }
}

/** Checks for a long text at any level of a value. */
function hasLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > sentCharacters;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLong);
}

/**
 * Yields a JSON list of messages. `present` reads and presents one, in a turn of its own, and returns null for one that the list lacks.
 * One that was deleted meanwhile is left out. Returns their number.
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
    const one = await present(item).catch((error) =>
      error instanceof NotFound ? null : Promise.reject(error),
    );
    if (one === null) continue;
    yield count === 0 ? '[' : ',';
    yield* jsonPieces(one);
    count += 1;
  }
  yield count === 0 ? '[]' : ']';
  return count;
}

/** Answers with JSON while its client takes it. */
export async function sendPieces(
  { ctx }: CatcherCall,
  pieces: Iterable<string> | AsyncIterable<string>,
): Promise<undefined> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    let waiting = '';
    for await (const piece of pieces) {
      waiting += piece;
      if (waiting.length < sentCharacters) continue;
      yield Buffer.from(waiting);
      waiting = '';
    }
    yield Buffer.from(waiting);
  }
  ctx.status = 200;
  if (ctx.method !== 'HEAD') ctx.body = await startedStream(ctx, bytes());
  ctx.type = 'application/json';
}
