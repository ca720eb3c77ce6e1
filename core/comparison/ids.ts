import { isRandom, isReadable } from './random-words.ts';

type Mask = () => string;
type Groups = Partial<Record<string, string>>;

/** Content of a `data:` URL. The email shows the content, so it is compared. */
const data = '(?<data>(?<![\\w-])data:[\\w.+-]{1,60}/[\\w.+;=-]{1,120},[A-Za-z0-9+/=%_-]*)';
/** Part of Django's password reset tokens: the seconds since 2001 in base 36 (before version 3.1, the days), and a hash. */
const reset = '(?:[c-k][0-9a-z]{5}-[0-9a-f]{32}|[4-9][0-9a-z]{2}-[0-9a-f]{20})(?![0-9a-zA-Z])';

/** Ids with a recognizable form. */
const forms = new RegExp(
  [
    data,
    // JSON Web Tokens (RFC 7519), and values signed by Django and itsdangerous. Their first part is a JSON object.
    '(?<jwt>(?<![\\w-])eyJ[\\w-]{1,8000}(?:[.:][\\w-]{0,8000}){0,3}[.:][\\w-]{1,8000})',
    '(?<![0-9a-zA-Z])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9a-zA-Z])',
    // ULID: 26 digits in Crockford's base 32, of which the first is at most 7.
    '(?<![0-9a-zA-Z])[0-7](?=[0-9]{0,24}[A-Za-z])(?:[0-9A-HJKMNP-TV-Z]{25}|[0-9a-hjkmnp-tv-z]{25})(?![0-9a-zA-Z])',
    // User ID in base 64, followed by a password reset token.
    `(?<=[/=])(?<uid>[A-Za-z0-9_-]{1,64})(?<between>[/&?](?:[a-z]{1,20}=)?)(?:${reset}|set-password(?=[/?#\\s"]|$))`,
    `(?<![0-9a-zA-Z])(?:[0-9a-z]{1,13}-)?${reset}`,
    '(?<scheme>\\b[cm]id:)(?<content>[^\\s"\'<>()\\\\]{1,1000})',
    '(?<field>\\b(?:[Mm]essage|[Cc]ontent)-[Ii][Dd]:\\s?)(?:<[^\\s<>]{1,1000}>|[^\\s<>]{1,1000})',
    // Local part that a Sandpost client generates for a test. URLs encode the `@`.
    '(?<![a-z0-9-])[a-z0-9-]{1,40}-[0-9a-f]{10}(?=@|%40)',
  ].join('|'),
  'g',
);
/** Words, and values in base 64 (RFC 4648) that contain `+` or `/`. */
const words = new RegExp(
  `${data}|(?<base64>(?<![\\w/+:.%-])(?=[A-Za-z0-9/]{0,300}[+=])[A-Za-z0-9+/]{24,1000}={0,2}(?![\\w/+=]))|[A-Za-z0-9_-]+(?:={1,2}(?![\\w=])|(?:%3D){1,2})?`,
  'g',
);

/** Replaces IDs, which are values that a machine generates for each email. Keeps readable words and numbers. Takes linear time. */
export function maskIds(text: string, mask: Mask): string {
  const masked = text.replace(forms, (whole: string, ...args: unknown[]) => {
    const { data, uid, between, scheme, content, field } = args.at(-1) as Groups;
    if (data !== undefined) return whole;
    if (uid !== undefined && between !== undefined)
      return `${mask()}${between}${whole.endsWith('set-password') ? 'set-password' : mask()}`;
    if (content !== undefined) return `${scheme}${maskContentId(content, mask)}`;
    return `${field ?? ''}${mask()}`;
  });
  return masked.replace(words, (whole: string, ...args: unknown[]) => {
    const [at, text, { data, base64 }] = args.slice(-3) as [number, string, Groups];
    if (base64 !== undefined && isRandom(base64.replace(/[+/=]/g, ''))) return mask();
    if (data !== undefined || whole.length < 8 || isImageName(text, at, whole)) return whole;
    return maskWord(whole, mask);
  });
}

/**
 * Masks the random parts of a word with hyphens and underscores. Base 64 for URLs uses both characters as digits, so short parts next to
 * a random part belong to it.
 */
function maskWord(word: string, mask: Mask): string {
  const [stem = ''] = /^[A-Za-z0-9_-]*/.exec(word) ?? [];
  const end = word.slice(stem.length);
  const parts = stem.split(/([_-]+)/);
  const random = parts.map((part) => isRandom(part));
  if (!random.includes(true)) {
    const isWhole = isMixedCase(stem) && isRandom(stem.replace(/[_-]/g, '')) && !parts.some(isReadable);
    return isWhole ? mask() : word;
  }
  const isMixed = parts.some((part, at) => random[at] && isMixedCase(part));
  // Four base 64 letters form a word by chance too often.
  const belongs = (part: string) => !(isReadable(part) && part.length > 4) && !/^v[0-9]{1,2}$/.test(part);
  for (let at = 2; isMixed && at < parts.length; at += 2)
    if (random[at - 2] && belongs(parts[at] ?? '')) random[at] = true;
  for (let at = parts.length - 3; isMixed && at >= 0; at -= 2)
    if (random[at + 2] && belongs(parts[at] ?? '') && !isPrefix(parts, at)) random[at] = true;
  let masked = '';
  for (let at = 0; at < parts.length; at += 2) {
    const isNext = random[at] && random[at - 2];
    if (!isNext) masked += `${parts[at - 1] ?? ''}${random[at] ? mask() : parts[at]}`;
  }
  return random.at(-1) ? masked : masked + end;
}

const isMixedCase = (word: string) => /[a-z]/.test(word) && /[A-Z]/.test(word);

/** Checks for a prefix that indicates an ID's kind: `pi_`, `cus_`. */
const isPrefix = (parts: string[], at: number) =>
  at === 0 && parts[1] === '_' && /^[a-z]{2,4}$/.test(parts[0] ?? '');

/** Checks for an image file name with a readable part. In such a name, a hash identifies the content. */
function isImageName(text: string, at: number, word: string): boolean {
  const end = at + word.length;
  if (!/^(?:[.@]\w{1,4})?\.(?:png|jpe?g|gif|svg|webp|avif|bmp|ico)\b/i.test(text.slice(end, end + 12)))
    return false;
  const readable = (part: string) => /^[a-z]{3,}$/i.test(part);
  if (word.split(/[_-]/).some(readable)) return true;
  const [before = ''] = /[\w.-]{0,40}$/.exec(text.slice(Math.max(0, at - 40), at)) ?? [];
  return before.split(/[._-]/).some(readable);
}

/**
 * Masks a Content-ID or Message-ID (RFC 2392) except for its readable parts: `logo@app.test` stays, and so does the image's name in
 * Outlook's `image001.png@01DC5E3A.7B2F8C10`.
 */
function maskContentId(id: string, mask: Mask): string {
  const [at = ''] = /@|%40/.exec(id) ?? [];
  const place = at === '' ? id.length : id.indexOf(at);
  const [local, domain] = [id.slice(0, place), id.slice(place + at.length)];
  const isPlain = (part: string) => /^(?:[A-Za-z]*[0-9]{0,4})$/.test(part) && !isRandom(part);
  if (!local.split(/[._+$-]/).every(isPlain) || !/[A-Za-z]{2}/.test(local)) return mask();
  return domain.split(/[.-]/).every((part) => isPlain(part) || /^[0-9]*[A-Za-z]+$/.test(part)) &&
    !/^[0-9A-F]{8}\./.test(domain)
    ? id
    : `${local}${at}${mask()}`;
}
