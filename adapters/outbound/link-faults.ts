/** Error of a link, as a sentence for its sender. */
export class LinkFault extends Error {
  override name = 'LinkFault';
}

const sentences: Record<string, string> = {
  ECONNREFUSED: 'Its host refuses connections',
  ECONNRESET: 'Its host closed the connection',
  EPIPE: 'Its host closed the connection',
  EHOSTUNREACH: 'Its host cannot be reached',
  ENETUNREACH: 'Its host cannot be reached',
  ETIMEDOUT: 'Its host did not answer in time',
  HPE_HEADER_OVERFLOW: 'The head of its answer is too long',
};

/** Returns the sentence for an error of a request. */
export function sentenceOf(error: unknown): string {
  if (error instanceof LinkFault) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (sentences[code] !== undefined) return sentences[code];
  if (code.startsWith('HPE_')) return 'Its answer is no HTTP';
  if (/CERT|^ERR_TLS|^ERR_SSL|SELF_SIGNED|^UNABLE_TO/.test(code))
    return `Its TLS cannot be trusted (${code})`;
  return `The request failed (${code || 'unknown'})`;
}
