import { isIP, isIPv4, isIPv6 } from 'node:net';
import Joi from 'joi';
import { isObject } from '#api/middleware/json-body.ts';
import { type LimitName, limits } from '#core/limits.ts';
import type { Facts } from '#core/messages/assume.ts';
import { type AssumedRecords, assumedTypes } from '#core/messages/examine.ts';
import { messageShape, type ShownMessage } from './message.ts';
import { type Fields, requestShape } from './request-shape.ts';
import { answerOf } from './response-shape.ts';
import { flagValue, textValue } from './values.ts';

const addressValue = () =>
  Joi.string()
    .custom((text: string, helpers) =>
      isIP(text) > 0 && !text.includes('%') ? text : helpers.message({ custom: 'must be an IP address' }),
    )
    .example('203.0.113.7');

const { assumedNames, assumedRecords, assumedCharacters } = limits.http;

const isName = (text: string) => text.length <= 254 && /^(?:[^\s.]{1,63}\.)*[^\s.]{1,63}\.?$/.test(text);

/** Checks of record data by type, each with a description of valid data. */
const data: Record<AssumedRecords['type'], [is: (text: string) => boolean, what: string]> = {
  TXT: [() => true, 'a text'],
  A: [isIPv4, 'an IPv4 address'],
  AAAA: [isIPv6, 'an IPv6 address'],
  MX: [
    (text) => {
      const [priority = '', name = '', ...more] = text.split(' ');
      return /^\d{1,5}$/.test(priority) && (isName(name) || name === '.') && more.length === 0;
    },
    'a preference and a name, such as 10 mx.app.test',
  ],
  PTR: [isName, 'a DNS name'],
  CNAME: [isName, 'a DNS name'],
};

const isType = (type: string): type is AssumedRecords['type'] => Object.hasOwn(data, type);

type Fault = { message: string; reached?: LimitName };

/** Reads the records by name and type. Returns the first fault, if any. */
function readRecords(given: object): AssumedRecords[] | Fault {
  const tooMany: Fault = {
    message: `may have at most ${assumedNames} names and types`,
    reached: 'http.assumedNames',
  };
  const records: AssumedRecords[] = [];
  const named = Object.entries(given);
  // A name may have no records of a type.
  if (named.length > assumedNames) return tooMany;
  for (const [name, types] of named) {
    if (!isName(name)) return { message: `has ${name.slice(0, 100)}, which is not a DNS name` };
    if (!isObject(types)) return { message: `must have an object with record types for ${name}` };
    for (const [type, values] of Object.entries(types)) {
      if (!isType(type)) return { message: `may have only ${assumedTypes.join(', ')} records for ${name}` };
      if (records.length >= assumedNames) return tooMany;
      const read = readValues(values, type, name);
      if ('message' in read) return read;
      records.push({ name, type, values: read });
    }
  }
  return records;
}

function readValues(given: unknown, type: AssumedRecords['type'], name: string): string[] | Fault {
  const [is, what] = data[type];
  if (!Array.isArray(given))
    return { message: `must have a list of strings for the ${type} records of ${name}` };
  if (given.length > assumedRecords) {
    const message = `may have at most ${assumedRecords} ${type} records for ${name}`;
    return { message, reached: 'http.assumedRecords' };
  }
  const values: string[] = [];
  for (const value of given) {
    if (typeof value !== 'string' || !is(value))
      return { message: `has a ${type} record for ${name} that is not ${what}` };
    if (value.length > assumedCharacters) {
      const message = `may have at most ${assumedCharacters} characters in a ${type} record for ${name}`;
      return { message, reached: 'http.assumedCharacters' };
    }
    values.push(value);
  }
  return values;
}

const recordsValue = Joi.object()
  .unknown()
  .custom((given: object, helpers) => {
    const read = readRecords(given);
    if (Array.isArray(read)) return read;
    return helpers.message({ custom: read.message }, { reached: read.reached });
  })
  .description('DNS records by name and type, with their data as in a zone file.')
  .meta({
    swagger: {
      maxProperties: assumedNames,
      additionalProperties: {
        type: 'object',
        properties: Object.fromEntries(
          assumedTypes.map((type) => [
            type,
            {
              type: 'array',
              maxItems: assumedRecords,
              items: { type: 'string', maxLength: assumedCharacters },
            },
          ]),
        ),
        additionalProperties: false,
      },
    },
  });

const clientIp = addressValue().description('Client address to check the message with.');

/** Fields for the facts by which a message is judged. */
export const factFields: Fields<Facts> = {
  clientIp,
  helo: textValue(0, 255).description('Default: the value in the envelope.'),
  mailFrom: textValue(0, 320).description('Default: the value in the envelope. Empty: the null sender.'),
  records: recordsValue.default([]),
  dns: flagValue()
    .default(false)
    .description('Whether to query DNS for records that `records` does not contain.'),
};

export const authenticationRequest = requestShape<Facts>(
  'AuthenticationRequest',
  { ...factFields, clientIp: clientIp.required() },
  {
    example: {
      client_ip: '203.0.113.7',
      records: { 'shop.example': { TXT: ['v=spf1 ip4:203.0.113.7 -all'] } },
    },
  },
);

const { spf, dkim, dmarc, arc, audit } = messageShape.fields;

/** Results of a message's checks. */
export const authenticationShape = answerOf<ShownMessage>()('AssumedAuthentication', {
  spf,
  dkim,
  dmarc,
  arc,
  audit,
});
