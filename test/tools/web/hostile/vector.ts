/** Mark that a script leaves in the console if it runs. */
export const mark = 'xss-ran';
/** Domain of the attacker. Any request to it or its subdomains was caused by an email. */
export const attacker = 'attacker.example';

/** Inserts the script and the host into a vector. */
export const armed = (name: string, vector: string): string =>
  vector
    .replaceAll('RUN', () => `console.log(/${mark}:${name}/)`)
    .replaceAll('HOST', () => `${name}.${attacker}`);
