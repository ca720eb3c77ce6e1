import { isUtf8 } from 'node:buffer';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const controlCharacter = /[\x00-\x1f\x7f]/;

/** Checks whether a command is UTF-8 without control characters. */
export function isReadable(command: Buffer): boolean {
  return !controlCharacter.test(command.toString('latin1')) && isUtf8(command);
}

/** Checks whether a command is the first line of an HTTP request. */
export function isHttp(line: string): boolean {
  return /^(?:GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH) /i.test(line);
}
