import { isUtf8 } from 'node:buffer';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const controlCharacter = /[\x00-\x1f\x7f]/;

/** Returns a command's text, or null if it is not UTF-8 or contains control characters. */
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
 * Path in a MAIL or RCPT command, and the parameters after the path. `address` is as given, and empty for `<>`. `withoutAddress`: the
 * command with `<>` instead of the path.
 */
export type Path = { address: string; parameters: string; withoutAddress: string };

/**
 * Path (RFC 5321 section 4.1.2): a source route, which is ignored (appendix C), a local part of quoted strings and other characters, and
 * a domain or an address literal. A local part alone is an address on this host. The pattern accepts more than the RFC allows, because
 * tests must show what an application sends.
 */
const path =
  /^<(?:@[^\s<>,:@]+(?:,@[^\s<>,:@]+)*:)?((?:(?:"(?:[^"\\]|\\.)*"|[^\s<>"@])+(?:@[^\s<>"@]+)?)?)>(?=\s|$)(.*)$/su;

/** Characters that an address must not contain: controls, and zero-width characters, which make one address look like another. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\u200b\u2060\ufeff]/u;

/**
 * Maximum length of an address in code units. RFC 5321 section 4.5.3.1 requires receivers to accept 64 octets before the `@` and 255
 * after it.
 */
const mostCharacters = 320;

/** Reads the path after the colon in a MAIL or RCPT command. Returns null if it is not a path. */
export function readPath(command: string): Path | null {
  const [, address, parameters = ''] = path.exec(argumentOf(command)) ?? [];
  if (address === undefined || address.length > mostCharacters || unsafe.test(address)) return null;
  const verb = command.slice(0, command.indexOf(':'));
  return { address, parameters, withoutAddress: `${verb}:<>${parameters}` };
}

/** Returns a RCPT command's recipient as far as it can be read, for people who search for it. */
export function recipientOf(command: string): string {
  const given = argumentOf(command);
  // Bounded: the length of a command line is limited.
  return readPath(command)?.address ?? given.replace(/^<|>.*$/gs, '').trim();
}

/** Characters in xtext (RFC 3461 section 4). */
const xtext = /^(?:[!-*,-<>-~]|\+[0-9A-F]{2})*$/;

/**
 * Returns the name of the first MAIL or RCPT parameter that violates RFC 3461 section 4 or RFC 3030 section 3, or null. ENVID has up to
 * 100 characters and ORCPT up to 500, both in xtext, and NOTIFY does not repeat a condition.
 */
export function badParameter(command: string): string | null {
  for (const [, name = '', value = ''] of parametersOf(command).matchAll(
    / (BODY|ENVID|ORCPT|NOTIFY)=(\S*)/gi,
  )) {
    const words = value.toUpperCase().split(',');
    const isGood = {
      BODY: /^(?:7BIT|8BITMIME|BINARYMIME)$/i.test(value),
      ENVID: xtext.test(value) && value.length <= 100,
      ORCPT: xtext.test(value.slice(value.indexOf(';') + 1)) && value.length <= 500,
      NOTIFY: new Set(words).size === words.length,
    }[name.toUpperCase()];
    if (!isGood) return name.toUpperCase();
  }
  return null;
}

/**
 * Parameters that smtp-server checks, and REQUIRETLS (RFC 8689). REQUIRETLS is not offered, but requires nothing of a server that keeps
 * mail.
 */
const known = {
  MAIL: /^(?:SIZE|BODY|SMTPUTF8|AUTH|RET|ENVID|REQUIRETLS)$/i,
  RCPT: /^(?:NOTIFY|ORCPT)$/i,
};

/** Returns the name of the first MAIL or RCPT parameter that does not belong to an offered extension, or null. */
export function unknownParameter(command: string): string | null {
  const names = parametersOf(command).match(/\S+/g) ?? [];
  const allowed = /^mail/i.test(command) ? known.MAIL : known.RCPT;
  const unknown = names
    .map((given) => given.replace(/=.*$/s, ''))
    .find((name) => name !== '' && !allowed.test(name));
  return unknown?.slice(0, 40).toUpperCase() ?? null;
}

/** Returns what follows the path in a MAIL or RCPT command, usually ''. */
function parametersOf(command: string): string {
  return /\s/.test(argumentOf(command)) ? (readPath(command)?.parameters ?? '') : '';
}

function argumentOf(command: string): string {
  return command.slice(command.indexOf(':') + 1).trim();
}
