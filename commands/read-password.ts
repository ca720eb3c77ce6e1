import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Maximum bytes that are read for a password, which has up to 256 characters of up to 4 bytes, and a line end. */
const mostBytes = 2048;

/**
 * Reads a password from standard input: one line, without its line end. On a terminal, shows a prompt and hides the input. Throws a
 * one-sentence error for any input other than one line of UTF-8.
 */
export async function readPassword(email: string): Promise<string> {
  return process.stdin.isTTY ? askForPassword(`Password for ${email}: `) : lineOf(await readSome());
}

async function readSome(): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of process.stdin) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > mostBytes) throw new Error('the password on standard input is too long');
  }
  return Buffer.concat(pieces);
}

/** Returns the only line of the input, without its line end. Throws a one-sentence error. */
export function lineOf(bytes: Buffer): string {
  const line = textOf(bytes).replace(/\r?\n$/, '');
  if (line === '') throw new Error('no password on standard input');
  if (/[\r\n]/.test(line)) throw new Error('the password must be a single line on standard input');
  return line;
}

function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error('the password on standard input is not UTF-8');
  }
}

async function askForPassword(prompt: string): Promise<string> {
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  const line = once(terminal, 'line');
  const ended = once(terminal, 'close').then(() => {
    throw new Error('no password given');
  });
  process.stderr.write(prompt);
  try {
    const [password]: string[] = await Promise.race([line, ended]);
    return lineOf(Buffer.from(password ?? ''));
  } finally {
    ended.catch(() => {});
    terminal.close();
    process.stderr.write('\n');
  }
}
