import { Readable } from 'node:stream';

/** More than any honest message has; what mailauth does with a header grows faster than the header. */
const limits = { octets: 128 * 1024, lines: 2000, signatures: 20 };

/** What there is to verify: `input` is the whole message where it has signatures, else what tells its authors. */
export type Verifiable = { input: Buffer | Readable } | { refused: string };

/** Reads as far as is needed to see whether a message is signed. Throws only what `source` throws. */
export async function readVerifiable(source: Uint8Array | AsyncIterable<Uint8Array>): Promise<Verifiable> {
  if (source instanceof Uint8Array) {
    const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
    const head = bytes.subarray(0, headerEnd(bytes) ?? bytes.length);
    return judge(head) ?? { input: isSigned(head) ? bytes : authors(head) };
  }
  const pieces = source[Symbol.asyncIterator]();
  let read: Buffer = Buffer.alloc(0);
  let end: number | undefined;
  while (end === undefined && read.length <= limits.octets) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    read = Buffer.concat([read, value]);
    end = headerEnd(read);
  }
  const head = read.subarray(0, end ?? read.length);
  const refusal = judge(head);
  if (refusal === null && isSigned(head)) return { input: Readable.from(resume(read, pieces)) };
  await pieces.return?.();
  return refusal ?? { input: authors(head) };
}

async function* resume(read: Buffer, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield read;
  yield* { [Symbol.asyncIterator]: () => pieces };
}

/** Where the header section ends, its empty line included. */
function headerEnd(bytes: Buffer): number | undefined {
  const ends = ['\n\r\n', '\n\n'].map((mark) => ({ at: bytes.indexOf(mark), length: mark.length }));
  const found = ends.filter(({ at }) => at >= 0).map(({ at, length }) => at + length);
  return found.length > 0 ? Math.min(...found) : undefined;
}

function isSigned(head: Buffer): boolean {
  return /^(?:dkim-signature|arc-(?:seal|message-signature|authentication-results))\b/im.test(
    head.toString('latin1'),
  );
}

/**
 * The From fields of an unsigned header section, which is all that DMARC reads of it; mailauth is slow in long headers.
 * Where a line is no plain field or fold it is left to mailauth to say where fields begin, so all of them are given.
 */
function authors(head: Buffer): Buffer {
  const text = head.toString('latin1');
  if (!/^(?:(?:[\x21-\x39\x3b-\x7e]+:|[ \t])[^\r\n]*\r?\n)+\r?\n$/.test(text)) return head;
  const fields = text.match(/^from:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*/gim) ?? [];
  return Buffer.from(`${fields.join('')}\r\n`, 'latin1');
}

function judge(head: Buffer): { refused: string } | null {
  if (head.length > limits.octets) return { refused: `the header section is over ${limits.octets} octets` };
  let lines = 0;
  for (let at = head.indexOf(10); at >= 0; at = head.indexOf(10, at + 1)) lines++;
  if (lines > limits.lines) return { refused: `the header section has over ${limits.lines} lines` };
  const signatures = head.toString('latin1').match(/^dkim-signature\b/gim)?.length ?? 0;
  return signatures > limits.signatures
    ? { refused: `there are over ${limits.signatures} signatures` }
    : null;
}
