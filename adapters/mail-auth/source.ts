import { limits as allLimits, type LimitName } from '#core/limits.ts';

const { mail: limits } = allLimits;

/** Input of the checks: the whole message where it has signatures, else its author fields without a body. */
export type Verifiable = { header: Buffer; body: Iterable<Uint8Array> | AsyncIterable<Uint8Array> } | Refusal;

type Refusal = { refused: string; limit: LimitName };

/** Reads as far as is needed to see whether a message is signed. Throws only what `source` throws. */
export async function readVerifiable(source: Uint8Array | AsyncIterable<Uint8Array>): Promise<Verifiable> {
  if (source instanceof Uint8Array) {
    const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
    const end = headerEnd(bytes) ?? bytes.length;
    const head = bytes.subarray(0, end);
    const refusal = judge(head);
    if (refusal !== null) return refusal;
    return isSigned(head)
      ? { header: head, body: [bytes.subarray(end)] }
      : { header: authors(head), body: [] };
  }
  const pieces = source[Symbol.asyncIterator]();
  let read: Buffer = Buffer.alloc(0);
  let end: number | undefined;
  while (end === undefined && read.length <= limits.signedHeaderBytes) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    read = Buffer.concat([read, value]);
    end = headerEnd(read);
  }
  const head = read.subarray(0, end ?? read.length);
  const refusal = judge(head);
  if (refusal === null && isSigned(head))
    return { header: head, body: resume(read.subarray(head.length), pieces) };
  await pieces.return?.();
  return refusal ?? { header: authors(head), body: [] };
}

async function* resume(read: Buffer, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield read;
    yield* { [Symbol.asyncIterator]: () => pieces };
  } finally {
    await pieces.return?.();
  }
}

/** Finds the end of the header section, its empty line included. An empty first line ends an empty section. */
function headerEnd(bytes: Buffer): number | undefined {
  const [first] = /^\r?\n/.exec(bytes.toString('latin1', 0, 2)) ?? [];
  if (first !== undefined) return first.length;
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
 * Returns the From fields of an unsigned header section, the only ones that DMARC reads. mailauth is slow in long headers.
 * Returns all fields where a line is neither a field nor a continuation: mailauth decides where fields begin then.
 */
function authors(head: Buffer): Buffer {
  const text = head.toString('latin1');
  if (!/^(?:(?:[\x21-\x39\x3b-\x7e]+:|[ \t])[^\r\n]*\r?\n)+\r?\n$/.test(text)) return head;
  const fields = text.match(/^from:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*/gim) ?? [];
  return Buffer.from(`${fields.join('')}\r\n`, 'latin1');
}

const signatureField =
  /^(?:dkim-signature|arc-(?:seal|message-signature|authentication-results))\b[^\n]*\n(?:[ \t][^\n]*\n)*/gim;

/**
 * Returns the reason why a header section is not checked, or null. Honest sections stay far below these bounds. mailauth
 * takes time quadratic in each of them.
 */
function judge(head: Buffer): Refusal | null {
  const refused = (limit: LimitName, what: string) => ({ refused: what, limit });
  if (head.length > limits.signedHeaderBytes)
    return refused('mail.signedHeaderBytes', `the header section is over ${limits.signedHeaderBytes} octets`);
  let lines = 0;
  let spaces = 0;
  let mostSpaces = 0;
  for (const octet of head) {
    if (octet === 0x0a) lines++;
    const isSpace = octet === 0x20 || (octet >= 0x09 && octet <= 0x0d);
    spaces = isSpace ? spaces + 1 : 0;
    if (spaces > mostSpaces) mostSpaces = spaces;
  }
  if (lines > limits.signedHeaderLines)
    return refused('mail.signedHeaderLines', `the header section has over ${limits.signedHeaderLines} lines`);
  if (mostSpaces > limits.signedHeaderSpaces && isSigned(head))
    return refused(
      'mail.signedHeaderSpaces',
      `the header section has over ${limits.signedHeaderSpaces} spaces in a row`,
    );
  const fields = head.toString('latin1').match(signatureField) ?? [];
  if (fields.some(({ length }) => length > limits.signatureFieldBytes))
    return refused(
      'mail.signatureFieldBytes',
      `a signature field is over ${limits.signatureFieldBytes} octets`,
    );
  const signatures = fields.filter((field) => /^dkim/i.test(field)).length;
  return signatures > limits.signatures
    ? refused('mail.signatures', `there are over ${limits.signatures} signatures`)
    : null;
}
