/** Error of an answer that is longer than it may be. */
export class AnswerTooLong extends Error {
  override name = 'AnswerTooLong';
}

type Options = { method: string; headers: Record<string, string>; body?: unknown; signal?: AbortSignal };

/**
 * Fetches without following redirects, and reads the answer as far as `mostBytes`. The signal ends the reading too. Throws
 * AnswerTooLong.
 */
export async function fetchBounded(url: string, options: Options, mostBytes: number): Promise<Response> {
  const answer = await fetch(url, { ...(options as RequestInit), redirect: 'manual' });
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body ?? []) {
    length += piece.length;
    if (length > mostBytes) throw new AnswerTooLong(`The answer is longer than ${mostBytes} bytes`);
    pieces.push(piece);
  }
  const { status, statusText, headers } = answer;
  const body = [204, 205, 304].includes(status) ? null : Buffer.concat(pieces);
  const read = new Response(body, { status, statusText, headers });
  // The constructor leaves the address empty.
  Object.defineProperty(read, 'url', { value: answer.url });
  return read;
}
