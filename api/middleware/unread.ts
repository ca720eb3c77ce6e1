import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Ctx, Handler } from '#api/context.ts';
import type { UnreadAnswers } from '#api/unread-answers.ts';

/** Bytes from which an answer is handed to the connection in pieces. */
export const longBytes = 65_536;
/** Bytes that an answer read from the store in pieces holds at a time. */
const pieceBytes = 524_288;

/** Counts each answer until its client has read it; a long one is sent as the client takes it. */
export function unread(answers: UnreadAnswers): Handler {
  return async (ctx, next) => {
    await next();
    const { body, res } = ctx;
    if (ctx.respond === false || ctx.method === 'HEAD') return;
    const user = ctx.state.caller?.id ?? null;
    if (body instanceof Readable) {
      const answer = answers.hold(res, user, pieceBytes);
      replace(ctx, answers.pace(answer, body));
    } else if (Buffer.isBuffer(body)) {
      if (body.length >= longBytes) replace(ctx, answers.pace(answers.hold(res, user, body.length), [body]));
      else if (isHeldUp(res)) answers.hold(res, user, body.length).waitsSince = performance.now();
    }
  };
}

/** Tells whether others of the connection go first, or bytes of it have not been taken: else a short answer leaves at once. */
function isHeldUp({ socket }: ServerResponse): boolean {
  return socket === null || socket.writableLength > 0;
}

/** A body of the same length, in pieces. */
function replace(ctx: Ctx, pieces: AsyncGenerator<Uint8Array>): void {
  const { length } = ctx;
  ctx.body = Readable.from(pieces, { objectMode: false });
  if (length !== undefined) ctx.length = length;
}
