import { invalid } from '#core/errors.ts';

/**
 * Returns the form in which e-mails of users are stored and compared: lower case. Returns null for one with characters that
 * Unicode takes for others (NFKC): a KELVIN SIGN becomes `k`, and its sender would be somebody else.
 */
export function parseEmail(text: string): string | null {
  return text.normalize('NFKC') === text ? text.toLowerCase() : null;
}

/** Returns the stored form of an e-mail. Throws Invalid that names the field `email`. */
export function readEmail(text: string): string {
  const email = parseEmail(text);
  if (email === null) throw invalid('email', strangeEmail);
  return email;
}

export const strangeEmail = 'contains characters that look like other letters: use plain letters';
