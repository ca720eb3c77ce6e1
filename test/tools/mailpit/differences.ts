import libmime from 'libmime';
import type { Difference } from './comparing.ts';

const isNone = (value: unknown) => value === undefined;
const textOf = (value: unknown) => String(value);
const tagKey = (value: unknown) => textOf(value).toLowerCase().replaceAll('/', ' ');
const isOfMail = (request: string) => /^GET \/api\/v1\/message\/<[^>]+>$/.test(request);
const isOfHeaders = (request: string) => request.endsWith('/headers');
const isOfSent = (request: string) => request.startsWith('GET /api/v1/message/latest');
const isOfCheck = (request: string) => request.endsWith('/html-check');
const isShownText = ({ request, field }: Difference) =>
  (isOfMail(request) && field === 'body.Text') || request.endsWith('.txt');
const textParts = ({ mail }: Difference) => mail?.raw.match(/^Content-Type: text\/plain/gim)?.length ?? 0;
const refusedHere = /\/(?:chaos|release|sa-check|rspamd-check|unknown\/part\/1\/thumb)(?: |$)|"Email":"x"/;

/**
 * Named differences, by the first cell of their rows in the tables of docs/mailpit.md. Each says whether it explains a difference. The
 * first match counts.
 */
export const named: Record<string, (difference: Difference) => boolean> = {
  '`ID`': ({ request, theirs, ours }) =>
    request === 'ids' && /^\w{22}$/.test(textOf(theirs)) && /^\d+$/.test(textOf(ours)),
  '`charset` of `Content-Type`': ({ field, theirs, ours }) =>
    field === 'type' && textOf(theirs).split(';')[0] === textOf(ours).split(';')[0],
  'empty `To`, `Cc`, `Bcc` of a list': ({ field, theirs, ours }) =>
    /messages\[\]\.(?:To|Cc|Bcc)$/.test(field) && theirs === null && Array.isArray(ours) && ours.length === 0,
  '`Size`, `raw`, `headers`': ({ request, field, theirs, ours }) => {
    if (field.endsWith('.Size')) return Number(theirs) !== Number(ours);
    if (request.endsWith('/raw')) return textOf(theirs).endsWith(textOf(ours));
    return isOfHeaders(request) && /\.(?:Received|Message-Id)$/.test(field) && isNone(ours);
  },
  'values of `headers`': ({ request, theirs, ours }) =>
    isOfHeaders(request) && textOf(theirs) !== textOf(ours) && libmime.decodeWords(textOf(theirs)) === ours,
  '`MessageID`, if the email has none': ({ field, theirs, ours }) =>
    field.endsWith('.MessageID') && textOf(theirs).endsWith('@mailpit') && ours === '',
  '`Date`': ({ field, mail, theirs, ours }) => {
    const apart = Math.abs(Date.parse(textOf(theirs)) - Date.parse(textOf(ours)));
    const isDated = mail !== undefined && /^Date: .*\d/m.test(mail.raw);
    return field === 'body.Date' && apart < (isDated ? 1 : 120_000);
  },
  '`Snippet`': ({ field }) => field.endsWith('.Snippet'),
  '`Text` of an HTML-only email': (difference) => isShownText(difference) && textParts(difference) === 0,
  '`Text` of several text parts': (difference) =>
    isShownText(difference) &&
    textParts(difference) > 1 &&
    textOf(difference.theirs).replaceAll('\n--\n', '\r\n') === difference.ours,
  'line endings of `Text`, `HTML`': ({ field, theirs, ours }) =>
    /^body(?:\.Text|\.HTML)?$/.test(field) &&
    textOf(theirs) !== textOf(ours) &&
    textOf(theirs).replaceAll(/\r?\n/g, '\r\n') === ours,
  '`Text`, `HTML` beyond 1 MiB': (difference) =>
    isShownText(difference) && textOf(difference.theirs).startsWith(`${difference.ours}`.slice(0, -1)),
  '`Checksums`': ({ field, ours }) => /\.Checksums\.(?:MD5|SHA1)$/.test(field) && ours === '',
  '`Attachments`': ({ field, theirs, ours }) =>
    (field.endsWith('messages[].Attachments') && Number(ours) === Number(theirs) + 1) ||
    (field === 'body.Attachments[]' && isNone(theirs)),
  'malformed `ListUnsubscribe`': ({ field, mail, ours }) =>
    /\.ListUnsubscribe\.(?:Links\[\]|Errors)$/.test(field) &&
    textOf(mail?.name).includes('unsubscribe') &&
    !isNone(ours),
  '`Tags`': ({ field, theirs, ours }) =>
    (/(?:^|\.)Tags\[\]$/.test(field) && theirs === 'nightly' && isNone(ours)) ||
    (field === 'body.Tags.nightly' && Number(ours) === Number(theirs) - 1),
  'spelling of a tag': ({ field, theirs, ours }) =>
    /tags\[\]$/i.test(field) && tagKey(theirs) === tagKey(ours),
  '`Version` of `info`': ({ field }) => field === 'body.Version',
  '`MessageRelay` of `webui`': ({ field, ours }) => field.startsWith('body.MessageRelay.') && isNone(ours),
  'other fields of `info`': ({ request, field, ours }) =>
    request.endsWith('/info') &&
    (ours === 0 || ours === 'sandpost' || field === 'body.RuntimeStats.Uptime') &&
    /^body\.(?:Database|RuntimeStats)/.test(field),
  '`Platforms`, `Nodes`, `NotesByNumber` of `html-check`': ({ request, field }) =>
    isOfCheck(request) && /(?:Platforms|Nodes|NotesByNumber)/.test(field),
  'other fields of `html-check`': ({ request, field, theirs, ours }) =>
    isOfCheck(request) &&
    (/^body\.(?:Total|Warnings\.[^.]+\.(?:Results|Score|Description|Tags|Keywords))/.test(field) ||
      (/^body\.Warnings\.[^.]+$/.test(field) && (isNone(ours) || isNone(theirs)))),
  '`/part/{part}/thumb`': ({ request }) => request.includes('>/part/2/thumb'),
  'body of `/livez`, `/readyz`': ({ request }) => /\/(?:livez|readyz)$/.test(request),
  '`/view/{id}.html`': ({ request }) => /^GET \/view\/.*html$/.test(request),
  '`/view/{id}`, `/view/latest`': ({ request }) => /^GET \/view\/(?:<[^>]+>|latest)$/.test(request),
  'refused requests': ({ request, field }) =>
    refusedHere.test(request) && /^(?:status|type|body.*)$/.test(field),
  'error messages': ({ field, theirs, ours }) =>
    /^body(?:\.Error)?$/.test(field) && [theirs, ours].every((one) => typeof one === 'string'),
  'format of an email from `/send`': ({ request, field }) =>
    isOfSent(request) &&
    (isOfHeaders(request) || /^body\.(?:MessageID|Text|Inline\[\]\.(?:PartID|ContentType))$/.test(field)),
  '`to:`': ({ request }) => /^search (?:-?to):/.test(request),
  '`from:`': ({ request }) => /^search from:/.test(request),
  '`bcc:`': ({ request }) => /^search bcc:/.test(request),
  '`has:attachment`': ({ request }) => /^search .*has:attachment/.test(request),
  '`is:tagged`, `has:inline`': ({ request, ours }) =>
    /^search (?:is:tagged|has:inline)$/.test(request) && (ours === 400 || isNone(ours)),
  'file names': ({ request }) => /^search \S+\.(?:png|pdf)$/.test(request),
  'non-ASCII letters': ({ request }) => request === 'search subject:ünïcödé',
  '`larger:`, `smaller:`': ({ request }) => /^search (?:larger|smaller):/.test(request),
};
