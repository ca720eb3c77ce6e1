import { isUtf8 } from 'node:buffer';
import { bodyDecoder } from '#core/messages/attachment-body.ts';

const LF = 0x0a;
const alphabet = /^[A-Za-z0-9+/=]*$/;
const control = /[^\P{Cc}\t\r\n\u0080-\u009f]/u;

/** Minimum length at which a line of base64 characters counts as base64 rather than a word. */
const surelyBase64 = 40;

/**
 * Decodes text that is declared as base64 but contains other octets, such as a mailing list's footer. Keeps lines that are not base64,
 * unless they decode to UTF-8 once the other octets are removed, like a line with a stray character.
 */
export function readBrokenBase64(encoded: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let run: string[] = [];
  /** True while the next line may continue the base64. */
  let continues = true;
  const decodeRun = (): void => {
    if (run.length > 0) pieces.push(decode(run.join('\n')));
    run = [];
  };
  for (const line of encoded.toString('latin1').split(/(?<=\n)/)) {
    const word = line.trim();
    if (isBase64(word, continues)) {
      run.push(word);
      if (word !== '') continues = !word.endsWith('=');
      continue;
    }
    // After the base64's padding, the rest of a line is text.
    const closed = closedBase64(word);
    run.push(closed);
    decodeRun();
    continues = false;
    if (closed !== '') {
      pieces.push(Buffer.from(line.slice(line.indexOf(closed) + closed.length), 'latin1'));
      continue;
    }
    const last = pieces.at(-1)?.at(-1);
    if (last !== undefined && last !== LF) pieces.push(Buffer.from('\n'));
    pieces.push(Buffer.from(line, 'latin1'));
  }
  decodeRun();
  return Buffer.concat(pieces);
}

function isBase64(word: string, continues: boolean): boolean {
  if (word === '') return continues;
  if (!alphabet.test(word)) return isText(decode(word));
  return word.length >= surelyBase64 || (continues && !control.test(decode(word).toString('latin1')));
}

/** Returns the base64 at the start of a line that its padding ends, or ''. */
function closedBase64(word: string): string {
  const closed = /^[A-Za-z0-9+/]{2,}={1,2}(?=\s)/.exec(word)?.[0] ?? '';
  return isText(decode(closed)) ? closed : '';
}

/** Checks for words in text that is declared as base64: spaces within a line. */
export function hasWords(encoded: Buffer): boolean {
  return /[^ \t\r\n][ \t]+[^ \t\r\n]/.test(encoded.toString('latin1'));
}

function decode(text: string): Buffer {
  return Buffer.from(bodyDecoder('base64').push(Buffer.from(text, 'latin1')));
}

function isText(bytes: Buffer): boolean {
  return bytes.length > 0 && isUtf8(bytes) && !control.test(bytes.toString());
}
