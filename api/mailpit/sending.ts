import { namedAddress } from '#api/providers/addresses.ts';
import { attachmentOf, draftOf } from '#api/providers/drafts.ts';
import type { JsonValue } from '#api/providers/json-value.ts';
import type { Provider } from '#api/providers/provider.ts';
import type { Draft } from '#core/delivery/compose.ts';
import { field, mailpit } from './dialect.ts';

/** Mailpit's send API. It is treated like a provider's API, because all sending uses the same path. */
export const mailpitSending: Provider = {
  ...mailpit,
  operations: [
    {
      path: '/send',
      operationId: 'mailpitSend',
      summary: 'Send mail in the Mailpit format',
      read: (body) => [readMail(body)],
      answer([outcome]) {
        const [id = ''] = outcome !== undefined && 'ids' in outcome ? outcome.ids : [];
        return { status: 200, body: { ID: String(id) } };
      },
    },
  ],
};

function readMail(mail: JsonValue): Draft {
  const people = (name: string) => field(mail, name).list().map(person);
  const tags = field(mail, 'Tags')
    .list()
    .map((tag) => tag.needText());
  const headers = field(mail, 'Headers')
    .entries()
    .map(([name, value]) => ({ name, value: value.text() ?? '' }));
  return draftOf({
    from: person(field(mail, 'From')),
    to: people('To'),
    cc: people('Cc'),
    bcc: field(mail, 'Bcc')
      .list()
      .map((one) => namedAddress(one.path, one.needText(), null)),
    replyTo: people('ReplyTo'),
    subject: field(mail, 'Subject').text() ?? '',
    // An email that has neither text nor HTML gets an empty text.
    text: field(mail, 'Text').text() ?? '',
    html: field(mail, 'HTML').text() || null,
    headers: tags.length === 0 ? headers : [...headers, { name: 'X-Tags', value: tags.join(', ') }],
    attachments: field(mail, 'Attachments').list().map(readFile),
  });
}

function person(value: JsonValue): Draft['from'] {
  const email = field(value, 'Email');
  return namedAddress(email.path, email.needText(), field(value, 'Name').text());
}

/** Reads a base64 file, which may begin as a data URL. */
function readFile(file: JsonValue): Draft['attachments'][number] {
  const content = field(file, 'Content');
  return attachmentOf(content.path, content.needText().split(',').at(-1) ?? '', {
    filename: field(file, 'Filename').text(),
    contentType: field(file, 'ContentType').text() || null,
    contentId: field(file, 'ContentID').text() || null,
  });
}
