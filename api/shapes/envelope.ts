import Joi from 'joi';
import type { Envelope } from '#core/messages/message.ts';
import { answerOf, listOf, nullable, responseShape, text, word } from './response-shape.ts';

export const envelopeShape = answerOf<Envelope>()('Envelope', {
  mail_from: text().example('shop@example.com'),
  rcpt_to: listOf(text().example('qa+signup@app.test')),
  helo: nullable(text()),
  remote_address: nullable(text()).example('10.1.0.7'),
  tls: Joi.boolean(),
  received_by: text().example('mail.example.com'),
  authenticated_as: [
    nullable(
      responseShape(null, {
        kind: word('account', 'api_key').example('account'),
        name: text().example('qa@app.test'),
      }),
    ).description('Account or API key that signed in with SMTP AUTH.'),
    ({ authenticatedAs = null }) =>
      authenticatedAs && { kind: authenticatedAs.kind, name: authenticatedAs.name },
  ],
  tls_info: [
    nullable(
      responseShape(null, {
        version: text().example('TLSv1.3'),
        cipher: text().example('TLS_AES_256_GCM_SHA384'),
        server_name: nullable(text()).example('mail.example.com'),
      }),
    ).description('TLS session that delivered the message.'),
    ({ tlsInfo = null }) =>
      tlsInfo && { version: tlsInfo.version, cipher: tlsInfo.cipher, server_name: tlsInfo.serverName },
  ],
  dsn: [
    nullable(
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
    ).description('Parameters for delivery status notifications (RFC 3461). Simulated failures honor them.'),
    ({ dsn }) => dsn ?? null,
  ],
});
