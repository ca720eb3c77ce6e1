/** Characters of xtext (RFC 3461 section 4). */
const xtext = /^(?:[!-*,-<>-~]|\+[0-9A-F]{2})*$/;

/**
 * Returns the name of the first parameter of MAIL or RCPT that RFC 3461 section 4 does not allow, or null: ENVID has at most
 * 100 characters and ORCPT 500, both in xtext, and NOTIFY names no condition twice.
 */
export function badParameter(command: string): string | null {
  const parameters = command.slice(command.indexOf('>') + 1).matchAll(/ (ENVID|ORCPT|NOTIFY)=(\S*)/gi);
  for (const [, name = '', value = ''] of parameters) {
    const words = value.toUpperCase().split(',');
    const isGood = {
      ENVID: xtext.test(value) && value.length <= 100,
      ORCPT: xtext.test(value.slice(value.indexOf(';') + 1)) && value.length <= 500,
      NOTIFY: new Set(words).size === words.length,
    }[name.toUpperCase()];
    if (!isGood) return name.toUpperCase();
  }
  return null;
}
