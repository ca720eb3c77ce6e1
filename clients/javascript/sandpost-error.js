/** An email is missing or not as expected, or the server did not respond. The message says so in one sentence. */
export class SandpostError extends Error {
  name = 'SandpostError';
}

/** Refuses a misspelled name, which would otherwise do nothing. */
export function refuseUnknown(kind, values, known) {
  const unknown = Object.keys(values).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new SandpostError(`Unknown ${kind} ${unknown}: use ${known.join(', ')}.`);
}
