/** Mail that is missing or not as it was wanted, or a server that does not answer. Says so in one sentence. */
export class SandpostError extends Error {
  name = 'SandpostError';
}

/** Refuses a misspelt name: nobody would see that it does nothing. */
export function refuseUnknown(kind, values, known) {
  const unknown = Object.keys(values).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new SandpostError(`There is no ${kind} ${unknown}: there are ${known.join(', ')}.`);
}
