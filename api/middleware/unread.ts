import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Ctx, Handler } from '#api/context.ts';
import type { UnreadAnswers } from '#api/unread-answers.ts';

/** Bytes from which an answer is handed to the connection in pieces. */
export const longBytes = 65_536;
/** Bytes in memory at a time, of an answer that is read from the store in pieces. */
const pieceBytes = 524_288;

/** Counts each answer until its client has read it. Sends a long one in pieces, as the client takes them. */
export function unread(answers: UnreadAnswers): Handler {
  return async (ctx, next) => {
    await next();
    const { body, res } = ctx;
    if (ctx.respond === false || ctx.method === 'HEAD') return;
    const user = ctx.state.caller?.userId ?? null;
    if (body instanceof Readable) {
      const answer = answers.hold(res, user, pieceBytes);
      replace(ctx, answers.pace(answer, body));
    } else if (Buffer.isBuffer(body)) {
      if (body.length >= longBytes) replace(ctx, answers.pace(answers.hold(res, user, body.length), [body]));
      else if (isHeldUp(res)) answers.hold(res, user, body.length).waitsSince = performance.now();
    }
  };
}

/**
 * Tells whether a short answer has to wait: for other answers of its connection, or for bytes that the client has not taken.
 */
function isHeldUp({ socket }: ServerResponse): boolean {
  return socket === null || socket.writableLength > 0;
}

/** Replaces the body by pieces of the same length in all. */
function replace(ctx: Ctx, pieces: AsyncGenerator<Uint8Array>): void {
  const { length } = ctx;
  ctx.body = Readable.from(pieces, { objectMode: false });
  if (length !== undefined) ctx.length = length;
}
