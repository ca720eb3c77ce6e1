import Joi from 'joi';
import type { Envelope } from '#core/messages/message.ts';
import { listOf, nullable, responseShape, text, type Wire, word } from './response-shape.ts';

export const envelopeShape = responseShape('Envelope', {
  mail_from: text().example('shop@example.com'),
  rcpt_to: listOf(text().example('qa+signup@app.test')),
  helo: nullable(text()),
  remote_address: nullable(text()).example('10.1.0.7'),
  tls: Joi.boolean(),
  received_by: text().example('mail.example.com'),
  authenticated_as: nullable(
    responseShape(null, {
      kind: word('account', 'api_key').example('account'),
      name: text().example('qa@app.test'),
    }),
  ).description('Account or API key that signed in by SMTP AUTH.'),
  tls_info: nullable(
    responseShape(null, {
      version: text().example('TLSv1.3'),
      cipher: text().example('TLS_AES_256_GCM_SHA384'),
      server_name: nullable(text()).example('mail.example.com'),
    }),
  ).description('TLS session that the message came by.'),
  dsn: nullable(
    responseShape(null, {
      ret: nullable(word('FULL', 'HDRS')),
      envid: nullable(text()),
      recipients: listOf(
        responseShape(null, {
          address: text().example('qa@app.test'),
          notify: listOf(word('NEVER', 'SUCCESS', 'FAILURE', 'DELAY')),
          orcpt: nullable(text()).example('rfc822;qa@app.test'),
        }),
      ),
    }),
  ).description('Parameters for delivery status notifications (RFC 3461). None is sent.'),
});

export function presentEnvelope({ tlsInfo = null, ...envelope }: Envelope): Wire<typeof envelopeShape> {
  return {
    mail_from: envelope.mailFrom,
    rcpt_to: envelope.rcptTo,
    helo: envelope.helo,
    remote_address: envelope.remoteAddress,
    tls: envelope.tls,
    received_by: envelope.receivedBy,
    authenticated_as: envelope.authenticatedAs ?? null,
    tls_info: tlsInfo && {
      version: tlsInfo.version,
      cipher: tlsInfo.cipher,
      server_name: tlsInfo.serverName,
    },
    dsn: envelope.dsn ?? null,
  };
}
