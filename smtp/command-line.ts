import { isUtf8 } from 'node:buffer';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const controlCharacter = /[\x00-\x1f\x7f]/;

/** Returns the text of a command, null where it is not UTF-8 without control characters. */
export function readableText(command: Buffer): string | null {
  const text = command.toString();
  return !controlCharacter.test(text) && isUtf8(command) ? text : null;
}

/** Checks whether a command is the first line of an HTTP request. */
export function isHttp(command: Buffer): boolean {
  const line = command.toString('latin1');
  return /^(?:GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH) /i.test(line);
}
