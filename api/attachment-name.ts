import path from 'node:path';

const mostCharacters = 200;
/** Characters that change the direction of the text behind them: `gpj.exe` would show as `exe.jpg`. */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Returns the name under which an attachment is saved: no path, no control characters, never empty. */
export function attachmentName(filename: string | null, id: number): string {
  const plain = (filename ?? '')
    .toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .replace(directions, '');
  const base = path.posix.basename(plain.replaceAll('\\', '/')).trim();
  const name = [...base].slice(0, mostCharacters).join('');
  return name === '' || /^\.+$/.test(name) ? `attachment-${id}` : name;
}
