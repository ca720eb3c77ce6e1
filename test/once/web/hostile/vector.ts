/** Mark that a script leaves in the console when it runs. */
export const mark = 'xss-ran';
/** Domain of the attacker. A request for it or for a name below it was caused by a mail. */
export const attacker = 'attacker.example';

/** Puts the script and the host into a vector. */
export const armed = (name: string, vector: string): string =>
  vector
    .replaceAll('RUN', () => `console.log(/${mark}:${name}/)`)
    .replaceAll('HOST', () => `${name}.${attacker}`);
