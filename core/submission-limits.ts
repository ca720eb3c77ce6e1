import { KiB, limit, MiB, pace } from './limit.ts';

/** Requests in the formats of e-mail providers. */
export const submissions = {
  bodyValues: limit(100_000, 'items', 'request', 'values in a JSON body', '400'),
  formFields: limit(5_000, 'items', 'request', 'fields and files of a form', '400'),
  mails: limit(1_000, 'items', 'request', 'mails that it makes', '422'),
  recipients: limit(1_000, 'items', 'mail', 'addresses of to, cc and bcc together', '422'),
  recipientsInAll: limit(10_000, 'items', 'request', 'addresses of to, cc and bcc of all mails', '422'),
  addressBytes: limit(64 * KiB, 'characters', 'mail', 'its recipients together', '422'),
  deliveries: limit(10_000, 'items', 'mail', 'its accounts times its recipients', '422'),
  headerFields: limit(100, 'items', 'mail', 'header fields of its sender', '422'),
  headerFieldBytes: limit(
    16 * KiB,
    'characters',
    'header field',
    'name and value; bytes of the header of a part of a form',
    '422',
  ),
  lineCharacters: limit(
    998,
    'characters',
    'mail',
    'subject, Message-ID and Reply-To; each name of an address or a file',
    '422',
  ),
  attachments: limit(100, 'items', 'mail', 'attachments', '422'),
  composedBytes: limit(8 * MiB, 'bytes', 'request', 'mails that it makes, beyond twice its body', '422'),
  searched: limit(
    64 * MiB,
    'characters',
    'request',
    'texts that values are filled into, of all mails together; a text counts once for every 256 characters of tags',
    '422',
  ),
  places: limit(100_000, 'items', 'request', 'places that are filled in, of all mails together', '422'),
  atOnce: pace(32, 'items', 'process', 'requests whose mails are made and stored', 'users take turns'),
  atOncePerUser: pace(4, 'items', 'user and process', 'the same', 'the others wait'),
  mailsAtOnce: pace(5, 'items', 'request', 'mails that are examined at a time', 'the others wait'),
  waiting: limit(1_000, 'items', 'user and process', 'requests that wait for that', '429'),
  shownBytes: pace(64 * KiB, 'bytes', 'message', 'request that it came by', 'it is cut'),
  shownBytesInAll: pace(4 * MiB, 'bytes', 'request', 'the same in all of its messages', 'it is cut'),
};
