/** Maximum number of characters that are kept of each part of an error. */
const longest = { message: 2000, stack: 8000 };
/** Maximum depth to which causes are kept, and maximum number of an AggregateError's errors that are kept. */
const most = { causes: 5, errors: 10 };

const mark = '[redacted]';

/** Patterns with their replacements. Each takes linear time, except for repeated URL schemes. */
const secrets: [pattern: RegExp, replacement: string][] = [
  // Credentials in the address of a store. If it is not escaped, a password may contain `/`, `?`, `#` and `@`.
  [/(?<=\b(?:mongodb(?:\+srv)?|rediss?(?:\+(?:sentinel|cluster))?):\/\/)[^\s"'`<>]{0,4000}@/gi, `${mark}@`],
  // Credentials in any other URL (RFC 3986, section 3.2.1).
  [/(?<=:\/\/)[^\s/?#@"'`<>]{0,4000}@/g, `${mark}@`],
  // HTTP fields that carry credentials, as text and as JSON.
  [
    /\b((?:proxy-)?authorization|(?:set-)?cookie|x-api-key)(["'\\]*\s*[:=]\s*)("[^"]*"?|'[^']*'?|\[[^\]]*\]?|[^\r\n"']*)/gi,
    `$1$2${mark}`,
  ],
  // Tokens in the Authorization field. In prose, such as "Basic authentication", no digit or capital follows.
  [/\b([Bb]earer|[Bb]asic)\s+(?=[\w.~+/-]*[A-Z0-9=])[\w.~+/=-]+/g, `$1 ${mark}`],
  // `password=…` in a query, `"password": "…"` in JSON and `password: '…'` in an inspected object.
  [
    /(pass(?:word|wd|phrase)|secret|token|api[-_]?key|credentials?)(=|["'\\]+\s*:\s*["'\\]*|\s*:\s*["'])[^\s"'&,;}\\]+/gi,
    `$1$2${mark}`,
  ],
  // Credential in MongoDB's `authMechanismProperties`. No other property contains a credential.
  [/(AWS_SESSION_TOKEN:)[^\s&,]+/gi, `$1${mark}`],
  // API keys of Sandpost.
  [/\bsp_[\w-]{43}/g, `sp_${mark}`],
  // MongoDB's error repeats a refused command together with its documents.
  [/( to execute command )\{[\s\S]*/, `$1${mark}`],
];

/** Pattern that matches every text that one of the `secrets` matches. Most texts need only this test. */
const suspicious =
  /:\/\/|pass|secret|token|key|credential|cookie|authorization|bearer|basic|sp_|to execute command/i;

/** Returns a string without its passwords, keys and other credentials. */
export function redact(text: string): string {
  if (!suspicious.test(text)) return text;
  let safe = text;
  for (const [pattern, replacement] of secrets) safe = safe.replace(pattern, replacement);
  return safe;
}

/** Report on an error, without commands, arguments and credentials. */
export type ErrorReport = {
  type: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: ErrorReport;
  errors?: ErrorReport[];
};

/**
 * Returns the type, message, code, stack and causes of a thrown value. Drops everything else: drivers attach commands, their arguments,
 * options and requests, any of which may contain a credential.
 */
export function reportError(thrown: unknown, depth = 0): ErrorReport {
  if (!(thrown instanceof Error)) {
    return { type: typeof thrown, message: shortened(typeof thrown === 'string' ? thrown : '', 'message') };
  }
  const { message, stack, cause } = thrown;
  const code = 'code' in thrown ? thrown.code : undefined;
  const errors = thrown instanceof AggregateError ? thrown.errors.slice(0, most.errors) : [];
  const deeper = depth < most.causes;
  return {
    type: thrown.name === 'Error' ? thrown.constructor.name : thrown.name,
    message: shortened(message, 'message'),
    ...(typeof code === 'number' && { code }),
    ...(typeof code === 'string' && { code: redact(code) }),
    ...(stack !== undefined && { stack: shortened(stack, 'stack') }),
    ...(deeper && cause !== undefined && { cause: reportError(cause, depth + 1) }),
    ...(deeper && errors.length > 0 && { errors: errors.map((one) => reportError(one, depth + 1)) }),
  };
}

/** Returns a thrown value's message for a person at a terminal, on one line and without credentials. */
export function sentenceOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  const lines = shortened(message, 'message').split('\n');
  return lines
    .map((line) => line.trim())
    .join(' ')
    .trim();
}

/** Redacts a string before truncating it, because a truncated credential would no longer be found. */
function shortened(text: string, part: keyof typeof longest): string {
  // Bounds the work. Text beyond this length is dropped.
  const safe = redact(text.slice(0, 4 * longest[part]));
  return safe.length <= longest[part] ? safe : `${safe.slice(0, longest[part])}…`;
}
