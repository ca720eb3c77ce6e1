/** What a script that ran leaves in the console. */
export const mark = 'xss-ran';
/** Whoever asks for this host, or below it, was made to by a mail. */
export const attacker = 'attacker.example';

/** A vector with its script and its host written in. */
export const armed = (name: string, vector: string): string =>
  vector
    .replaceAll('RUN', () => `console.log(/${mark}:${name}/)`)
    .replaceAll('HOST', () => `${name}.${attacker}`);
