import { isUtf8 } from 'node:buffer';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const controlCharacter = /[\x00-\x1f\x7f]/;

/** Returns the text of a command, null where it is not UTF-8 without control characters. */
export function readableText(command: Buffer): string | null {
  const text = command.toString();
  return !controlCharacter.test(text) && isUtf8(command) ? text : null;
}

/** Checks whether a command is the first line of an HTTP request. */
export function isHttp(command: Buffer): boolean {
  const line = command.toString('latin1');
  return /^(?:GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH) /i.test(line);
}

/**
 * Path of MAIL or RCPT, and the parameters behind it. `address` is as it was given, and empty for `<>`. `withoutAddress`: the command
 * with `<>` in its place.
 */
export type Path = { address: string; parameters: string; withoutAddress: string };

/**
 * Path (RFC 5321 section 4.1.2): a source route, which is left out (appendix C), a local part of quoted strings and other signs, and a
 * domain or an address literal. A local part alone stands for one of this host. More is taken than the RFC allows: what an
 * application sends in a test has to be seen.
 */
const path =
  /^<(?:@[^\s<>,:@]+(?:,@[^\s<>,:@]+)*:)?((?:(?:"(?:[^"\\]|\\.)*"|[^\s<>"@])+(?:@[^\s<>"@]+)?)?)>(?=\s|$)(.*)$/su;

/** Signs that no address has: controls, and signs without width, which make one address look like another. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\u200b\u2060\ufeff]/u;

/** Maximum code units of an address. RFC 5321 section 4.5.3.1 has receivers take 64 octets before the `@`, and 255 behind. */
const mostCharacters = 320;

/** Reads the path behind the colon of a command MAIL or RCPT. Returns null where it is none. */
export function readPath(command: string): Path | null {
  const [, address, parameters = ''] = path.exec(argumentOf(command)) ?? [];
  if (address === undefined || address.length > mostCharacters || unsafe.test(address)) return null;
  const verb = command.slice(0, command.indexOf(':'));
  return { address, parameters, withoutAddress: `${verb}:<>${parameters}` };
}

/** Returns the recipient of a command RCPT as far as it can be read, for those that look for it. */
export function recipientOf(command: string): string {
  const given = argumentOf(command);
  // Bounded: a command line has a limit.
  return readPath(command)?.address ?? given.replace(/^<|>.*$/gs, '').trim();
}

/** Characters of xtext (RFC 3461 section 4). */
const xtext = /^(?:[!-*,-<>-~]|\+[0-9A-F]{2})*$/;

/**
 * Returns the name of the first parameter of MAIL or RCPT that RFC 3461 section 4 does not allow, or null: ENVID has at most
 * 100 characters and ORCPT 500, both in xtext, and NOTIFY names no condition twice.
 */
export function badParameter(command: string): string | null {
  for (const [, name = '', value = ''] of parametersOf(command).matchAll(/ (ENVID|ORCPT|NOTIFY)=(\S*)/gi)) {
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

/** Parameters that smtp-server checks, and REQUIRETLS (RFC 8689), which is not offered and needs nothing of a server that keeps mail. */
const known = {
  MAIL: /^(?:SIZE|BODY|SMTPUTF8|AUTH|RET|ENVID|REQUIRETLS)$/i,
  RCPT: /^(?:NOTIFY|ORCPT)$/i,
};

/** Returns the name of the first parameter of MAIL or RCPT that belongs to no extension offered, or null. */
export function unknownParameter(command: string): string | null {
  const names = parametersOf(command).match(/\S+/g) ?? [];
  const allowed = /^mail/i.test(command) ? known.MAIL : known.RCPT;
  const unknown = names
    .map((given) => given.replace(/=.*$/s, ''))
    .find((name) => name !== '' && !allowed.test(name));
  return unknown?.slice(0, 40).toUpperCase() ?? null;
}

/** Returns what follows the path of MAIL or RCPT, which most commands lack. */
function parametersOf(command: string): string {
  return /\s/.test(argumentOf(command)) ? (readPath(command)?.parameters ?? '') : '';
}

function argumentOf(command: string): string {
  return command.slice(command.indexOf(':') + 1).trim();
}
