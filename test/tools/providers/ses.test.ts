import MailCompiler from 'nodemailer/lib/mail-composer';
import {
  nodeClient,
  runPython,
  withoutNodeClients,
  withoutPythonClients,
} from '#test/support/clients/provider-clients.ts';
import { type Access, type Client, type Mail, providerSuite } from './suite.ts';

type Person = Mail['from'];

/** Formats an address as in a header field. `encoded`: with the name as an encoded word, as in the SES reference. */
function written({ name, address }: Person, encoded: boolean): string {
  if (name === '') return address;
  return encoded
    ? `=?UTF-8?B?${Buffer.from(name).toString('base64')}?= <${address}>`
    : `"${name}" <${address}>`;
}

const destinationOf = ({ to, cc, bcc }: Mail, encoded: boolean) => ({
  ToAddresses: to.map((one) => written(one, encoded)),
  CcAddresses: cc.map((one) => written(one, encoded)),
  BccAddresses: bcc.map((one) => written(one, encoded)),
});
const replyToOf = ({ replyTo }: Mail, encoded: boolean) =>
  replyTo === null ? [] : [written(replyTo, encoded)];

const textsOf = ({ subject, text, html }: Mail) => ({
  Subject: { Data: subject, Charset: 'UTF-8' },
  Body: {
    ...(text === null ? {} : { Text: { Data: text, Charset: 'UTF-8' } }),
    ...(html === null ? {} : { Html: { Data: html, Charset: 'UTF-8' } }),
  },
});

/** Builds the input of v2's `SendEmail`. `bytes` converts base64 to the client's type. */
function simpleOf(mail: Mail, encoded: boolean, bytes: (base64: string) => unknown) {
  return {
    FromEmailAddress: written(mail.from, encoded),
    Destination: destinationOf(mail, encoded),
    ReplyToAddresses: replyToOf(mail, encoded),
    Content: {
      Simple: {
        ...textsOf(mail),
        Headers: Object.entries(mail.headers).map(([Name, Value]) => ({ Name, Value })),
        Attachments: mail.attachments.map(({ filename, contentType, content, contentId }) => ({
          RawContent: bytes(content),
          FileName: filename,
          ContentType: contentType,
          ContentTransferEncoding: 'BASE64',
          ...(contentId === null
            ? { ContentDisposition: 'ATTACHMENT' }
            : { ContentDisposition: 'INLINE', ContentId: contentId }),
        })),
      },
    },
  };
}

/** Builds the input of `SendBulkEmail`: a template whose values differ. */
function bulkOf(mails: [Mail, Mail], encoded: boolean) {
  return {
    FromEmailAddress: written(mails[0].from, encoded),
    DefaultContent: {
      Template: {
        TemplateContent: { Subject: '{{subject}}', Text: '{{ mail.text }}' },
        TemplateData: JSON.stringify({ subject: 'none' }),
      },
    },
    BulkEmailEntries: mails.map((mail) => ({
      Destination: destinationOf(mail, encoded),
      ReplacementEmailContent: {
        ReplacementTemplate: {
          ReplacementTemplateData: JSON.stringify({ subject: mail.subject, mail: { text: mail.text } }),
        },
      },
    })),
  };
}

const templateOf = (mail: Mail, TemplateName: string, data: object) => ({
  FromEmailAddress: written(mail.from, false),
  Destination: destinationOf(mail, false),
  Content: { Template: { TemplateName, TemplateData: JSON.stringify(data) } },
});

/** Composes an email as an application does that needs more than v1's `SendEmail` accepts. */
function composed(mail: Mail): Promise<Buffer> {
  const { replyTo, text, html, attachments, ...rest } = mail;
  const compiled = new MailCompiler({
    ...rest,
    ...(replyTo && { replyTo }),
    ...(text !== null && { text }),
    ...(html !== null && { html }),
    attachments: attachments.map(({ filename, contentType, content, contentId }) => ({
      filename,
      contentType,
      content: Buffer.from(content, 'base64'),
      ...(contentId !== null && { cid: contentId, contentDisposition: 'inline' as const }),
    })),
  }).compile();
  return compiled.build();
}

const needsRaw = ({ attachments, headers }: Mail) =>
  attachments.length > 0 || Object.keys(headers).length > 0;

/** Builds the input of v1's `SendEmail`. */
const queryOf = (mail: Mail, encoded: boolean) => ({
  Source: written(mail.from, encoded),
  Destination: destinationOf(mail, encoded),
  ReplyToAddresses: replyToOf(mail, encoded),
  Message: textsOf(mail),
});
const rawOf = (mail: Mail, data: unknown) => ({
  Source: mail.from.address,
  Destinations: [...mail.to, ...mail.cc, ...mail.bcc].map(({ address }) => address),
  RawMessage: { Data: data },
});
const templatedOf = (mail: Mail, Template: string, data: object) => ({
  Source: written(mail.from, false),
  Destination: destinationOf(mail, false),
  Template,
  TemplateData: JSON.stringify(data),
});

type Answered = { MessageId: string };
type Sdk = Record<string, new (input: object) => { send(command: object): Promise<Answered> }>;

/** Calls an operation with an AWS SDK for JavaScript client. */
function byNode(library: string, client: string) {
  return async ({ url, key }: Access, operation: string, input: object): Promise<Answered> => {
    const sdk = nodeClient<Sdk>(library);
    const { [client]: Service, [`${operation}Command`]: Command } = sdk;
    if (Service === undefined || Command === undefined) throw new Error(`${library} has no ${operation}`);
    const credentials = { accessKeyId: key, secretAccessKey: 'any' };
    const service = new Service({ endpoint: url, region: 'eu-central-1', credentials });
    return service.send(new Command(input));
  };
}

const nodeFailure: Client['failure'] = (error) => {
  const { $metadata, message, name } = error as Error & { $metadata: { httpStatusCode: number } };
  return { status: $metadata.httpStatusCode, message: `${name}: ${message}` };
};

const script = `
import base64, boto3, json, sys
from botocore.exceptions import ClientError
given = json.load(sys.stdin, object_hook=lambda o: base64.b64decode(o['base64']) if 'base64' in o else o)
client = boto3.client(given['service'], endpoint_url=given['url'], region_name='eu-central-1',
                      aws_access_key_id=given['key'], aws_secret_access_key='any')
try:
    print(json.dumps(getattr(client, given['operation'])(**given['input']).get('MessageId')))
except ClientError as error:
    sys.exit(json.dumps({'status': error.response['ResponseMetadata']['HTTPStatusCode'], 'message': str(error)}))
`;

/** Calls an operation with boto3. */
function byPython(service: string) {
  return async ({ url, key }: Access, operation: string, input: object): Promise<string> =>
    JSON.parse(await runPython(script, { service, url, key, operation, input }));
}

const pythonFailure: Client['failure'] = (error) => JSON.parse((error as Error).message);
const inPython = (base64: string) => ({ base64 });

const common = { provider: 'ses', statuses: { wrongKey: 403, invalid: 400 } };
const v2 = byNode('@aws-sdk/client-sesv2', 'SESv2Client');
const v1 = byNode('@aws-sdk/client-ses', 'SESClient');
const python2 = byPython('sesv2');
const python1 = byPython('ses');

const clients: Client[] = [
  {
    ...common,
    name: 'ses by @aws-sdk/client-sesv2',
    skip: withoutNodeClients,
    async send(access, mail) {
      const input = simpleOf(mail, false, (base64) => Buffer.from(base64, 'base64'));
      return (await v2(access, 'SendEmail', input)).MessageId;
    },
    sendBatch: (access, mails) => v2(access, 'SendBulkEmail', bulkOf(mails, false)),
    sendTemplate: (access, mail, name, data) => v2(access, 'SendEmail', templateOf(mail, name, data)),
    failure: nodeFailure,
  },
  {
    ...common,
    name: 'ses by boto3’s sesv2',
    skip: withoutPythonClients,
    send: (access, mail) => python2(access, 'send_email', simpleOf(mail, true, inPython)),
    sendBatch: (access, mails) => python2(access, 'send_bulk_email', bulkOf(mails, true)),
    sendTemplate: (access, mail, name, data) => python2(access, 'send_email', templateOf(mail, name, data)),
    failure: pythonFailure,
  },
  {
    ...common,
    name: 'ses by @aws-sdk/client-ses',
    skip: withoutNodeClients,
    async send(access, mail) {
      if (!needsRaw(mail)) return (await v1(access, 'SendEmail', queryOf(mail, false))).MessageId;
      return (await v1(access, 'SendRawEmail', rawOf(mail, await composed(mail)))).MessageId;
    },
    sendTemplate: (access, mail, name, data) =>
      v1(access, 'SendTemplatedEmail', templatedOf(mail, name, data)),
    failure: nodeFailure,
  },
  {
    ...common,
    name: 'ses by boto3’s ses',
    skip: withoutPythonClients,
    async send(access, mail) {
      if (!needsRaw(mail)) return python1(access, 'send_email', queryOf(mail, true));
      const data = inPython((await composed(mail)).toString('base64'));
      return python1(access, 'send_raw_email', rawOf(mail, data));
    },
    sendTemplate: (access, mail, name, data) =>
      python1(access, 'send_templated_email', templatedOf(mail, name, data)),
    failure: pythonFailure,
  },
];

for (const client of clients) providerSuite(client);
