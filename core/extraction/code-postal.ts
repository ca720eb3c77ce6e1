import type { Token } from './code-token.ts';

/** Tests for a US postal code behind its state: `CA 94105`. */
export function isZipCode(tokens: Token[], place: number): boolean {
  const [before, token] = [tokens[place - 1], tokens[place]];
  return before !== undefined && /^[0-9]{5}$/.test(token?.value ?? '') && /^[A-Z]{2}$/.test(before.value);
}

/** Tests for the second half of a British postal code, which reads as a word for a code in `EC2A 2FA`. */
export function isInwardCode(tokens: Token[], place: number): boolean {
  const [before, token] = [tokens[place - 1], tokens[place]];
  return /^[0-9][A-Z]{2}$/.test(token?.value ?? '') && /^[A-Z]{1,2}[0-9][A-Z0-9]?$/.test(before?.value ?? '');
}
