import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { NamedAddress } from '#core/messages/content.ts';
import { addressList } from './addresses.ts';

/** Reads the first address in the field From of a raw mail. Throws Invalid that names `field`. */
export function senderOf(field: string, raw: Uint8Array): NamedAddress {
  const [sender] = addressList(field, headerField(raw, 'From'));
  if (sender === undefined) throw invalid(field, 'has no address in a header field From');
  return sender;
}

/**
 * Returns the value of a header field of a raw mail, unfolded; the values of several joined by commas; '' where there is none.
 * Looks at the beginning of a long header only.
 */
export function headerField(raw: Uint8Array, name: string): string {
  const start = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.length, limits.mail.headerBytes));
  const lines = start.toString().replace(/\r\n?/g, '\n');
  const end = lines.startsWith('\n') ? 0 : lines.indexOf('\n\n');
  const header = (end === -1 ? lines : lines.slice(0, end)).replace(/\n[ \t]/g, ' ');
  const values = header.split('\n').flatMap((line) => {
    const colon = line.indexOf(':');
    const found = line.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase() === name.toLowerCase();
    return found ? [line.slice(colon + 1).trim()] : [];
  });
  return values.filter((value) => value !== '').join(', ');
}
