import type { IncomingMessage } from 'node:http';
import type { User } from '#test/support/program/user.ts';

/** Frame of the event stream. */
export type Frame = { id: number; event: string; data: Record<string, unknown> };

/** Reads a user's event stream from the newest event on. `next` returns its frames one by one. */
export async function openFrames(
  user: Pick<User, 'api'>,
): Promise<{ next(): Promise<Frame>; close(): void }> {
  const response: IncomingMessage = await user.api.open('GET', '/api/events');
  const pieces = response.setEncoding('utf8')[Symbol.asyncIterator]();
  let text = '';
  return {
    async next() {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end === -1) {
          const { value, done } = await pieces.next();
          if (done) throw new Error('the stream ended');
          text += value;
          continue;
        }
        const field = Object.fromEntries(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        );
        text = text.slice(end + 2);
        const { id, event, data } = field;
        if (id && event && data) return { id: Number(id), event, data: JSON.parse(data) };
      }
    },
    close: () => response.destroy(),
  };
}
