import type { Draft, DraftAttachment, RawDraft } from '#core/delivery/compose.ts';
import { invalid } from '#core/errors.ts';
import type { NamedAddress } from '#core/messages/content.ts';
import { addressList, headerField, oneAddress, senderOf as senderIn } from './addresses.ts';
import { base64Of, draftOf, type Filling, filesOf, type Texts } from './drafts.ts';
import { type JsonValue, jsonIn } from './json-value.ts';

/** Maximum addresses in an email: https://docs.aws.amazon.com/ses/latest/dg/quotas.html */
const mostRecipients = 50;
const mostHeaders = 15;
/** Placeholder in a template: https://docs.aws.amazon.com/ses/latest/dg/send-personalized-email-api.html */
const tag = /\{\{\{?\s*([\w.-]{1,200})\s*\}?\}\}/g;

type Extras = Partial<Pick<Draft, 'headers' | 'attachments'>>;

/** Request fields that contain an email's addresses. */
export type People = { from: JsonValue; destination: JsonValue; replyTo: JsonValue };

/** Creates an email that SES composes. Throws Invalid. */
export function mailOf({ from, destination, replyTo }: People, content: Texts & Extras): Draft {
  const [to, cc, bcc] = destinationOf(destination);
  return draftOf({ from: senderOf(from), to, cc, bcc, replyTo: addressesOf(replyTo), ...content });
}

export function senderOf(from: JsonValue): NamedAddress {
  return oneAddress(from.path, from.needText());
}

/**
 * Creates a draft from a raw email that its sender composed. The email's header names the sender and the recipients if the request does
 * not.
 */
export function rawMailOf(data: JsonValue, from: JsonValue, recipients: NamedAddress[]): RawDraft {
  const raw = base64Of(data.path, data.needText());
  const named =
    recipients.length > 0 ? recipients : ['To', 'Cc', 'Bcc'].flatMap((name) => inHeader(raw, name));
  checkRecipients(named);
  const source = from.text() ?? '';
  const sender = source === '' ? senderIn(data.path, raw) : oneAddress(from.path, source);
  return {
    raw,
    mailFrom: sender.address,
    recipients: [...new Set(named.map(({ address }) => address))],
  };
}

function inHeader(raw: Uint8Array, name: string): NamedAddress[] {
  return addressList(`header ${name}`, headerField(raw, name));
}

export function destinationOf(destination: JsonValue): [NamedAddress[], NamedAddress[], NamedAddress[]] {
  const [to, cc, bcc] = ['ToAddresses', 'CcAddresses', 'BccAddresses'].map((name) => {
    return addressesOf(destination.get(name));
  });
  const all: [NamedAddress[], NamedAddress[], NamedAddress[]] = [to ?? [], cc ?? [], bcc ?? []];
  checkRecipients(all.flat());
  return all;
}

function checkRecipients(all: NamedAddress[]): void {
  if (all.length > mostRecipients) throw invalid('Destination', `Recipient count exceeds ${mostRecipients}.`);
}

/** Reads a list of addresses. In the Query API, an empty list is an empty string. */
export function addressesOf(list: JsonValue): NamedAddress[] {
  return list.value === '' ? [] : list.list().map((item) => oneAddress(item.path, item.needText()));
}

export function textsOf(message: JsonValue): Texts {
  const subject = message.get('Subject').get('Data');
  const body = message.get('Body');
  return {
    subject: subject.text() ?? subject.fail('is required'),
    text: body.get('Text').get('Data').text(),
    html: body.get('Html').get('Data').text(),
  };
}

/** Reads a template's values from JSON within a string. Throws Invalid. */
export function templateData(data: JsonValue): JsonValue {
  const found = jsonIn(data.text() || '{}', data.path);
  found.entries();
  return found;
}

/** Creates the texts from a template in the request. Throws Invalid. */
export function inlineTemplate(content: JsonValue, data: JsonValue, filling: Filling): Texts {
  const found = (name: string) => data.at(name).value;
  const filled = (name: string) => {
    const text = content.get(name).text();
    return text === null ? null : filling.fill(text, tag, found);
  };
  return { subject: filled('Subject') ?? '', text: filled('Text'), html: filled('Html') };
}

export function headersOf(list: JsonValue): Draft['headers'] {
  const items = list.list();
  if (items.length > mostHeaders) list.fail(`may have at most ${mostHeaders} items`);
  return items.map((item) => {
    const value = item.get('Value').needText();
    if (!/^[ -~]*$/.test(value)) item.get('Value').fail('must be printable ASCII without line breaks');
    return { name: item.get('Name').needText(), value };
  });
}

const fileFields = {
  content: 'RawContent',
  filename: 'FileName',
  contentType: 'ContentType',
  contentId: 'ContentId',
};

export function attachmentsOf(list: JsonValue): DraftAttachment[] {
  return filesOf(list, fileFields, (file) => file.get('ContentDisposition').text() === 'INLINE');
}
