import { invalid } from '#core/errors.ts';

/**
 * Returns the form in which users' email addresses are stored and compared: lower case. Returns null for an address with characters that
 * Unicode normalizes (NFKC) to different ones: a KELVIN SIGN would become `k`, and the address would be somebody else's.
 */
export function parseEmail(text: string): string | null {
  return text.normalize('NFKC') === text ? text.toLowerCase() : null;
}

/** Returns an email address in its stored form. Throws Invalid for the field `email`. */
export function readEmail(text: string): string {
  const email = parseEmail(text);
  if (email === null) throw invalid('email', confusableEmail);
  return email;
}

export const confusableEmail = 'contains characters that look like other letters: use plain letters';
