import Joi from 'joi';
import type { Authentication } from '#core/messages/content.ts';
import type { Message } from '#core/messages/message.ts';
import { listOf, nullable, responseShape, text, type Wire, wholeNumber, word } from './response-shape.ts';

/** Result of a method of authentication (RFC 8601 section 2.7). */
const result = () =>
  word('none', 'neutral', 'pass', 'fail', 'softfail', 'policy', 'temperror', 'permerror').example('pass');

export const authenticationFields = {
  spf: responseShape('Spf', {
    result: result(),
    domain: nullable(text()).example('example.com'),
    explanation: nullable(text()),
  }),
  dkim: listOf(
    responseShape('Dkim', {
      result: result(),
      domain: nullable(text()).example('example.com'),
      selector: nullable(text()).example('s1'),
      aligned: Joi.boolean(),
      info: nullable(text()),
    }),
  ),
  dmarc: responseShape('Dmarc', {
    result: result(),
    domain: nullable(text()).example('example.com'),
    policy: nullable(text()).example('reject'),
    aligned_spf: Joi.boolean(),
    aligned_dkim: Joi.boolean(),
  }),
  arc: responseShape('Arc', { result: result() }),
};

export function presentAuthentication({
  spf,
  dkim,
  dmarc,
  arc,
}: Authentication): Wire<typeof authenticationFields> {
  return {
    spf,
    dkim,
    dmarc: {
      result: dmarc.result,
      domain: dmarc.domain,
      policy: dmarc.policy,
      aligned_spf: dmarc.alignedSpf,
      aligned_dkim: dmarc.alignedDkim,
    },
    arc,
  };
}

const checks = () =>
  listOf(
    responseShape('AuditCheck', {
      id: text().example('spf'),
      title: text().example('SPF'),
      detail: text().example('pass for example.com'),
    }),
  );

export const auditShape = responseShape('Audit', {
  message_id: nullable(text()).example('<b7e1@shop.example>'),
  size_bytes: wholeNumber().example(1432),
  authentication_results: text().example('mail.example.com; spf=pass smtp.mailfrom=example.com'),
  checks: responseShape('AuditChecks', {
    critical: checks(),
    warning: checks(),
    info: checks(),
    passed: checks(),
  }),
});

export function presentAudit({ msgid, sizeBytes, content }: Message): Wire<typeof auditShape> {
  return {
    message_id: msgid,
    size_bytes: sizeBytes,
    authentication_results: content.authentication.header,
    checks: content.audit,
  };
}
