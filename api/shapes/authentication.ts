import Joi from 'joi';
import type { Authentication } from '#core/messages/content.ts';
import type { Message } from '#core/messages/message.ts';
import { listOf, responseShape, text, wholeNumber, word } from './response-shape.ts';

/** Result of a method of authentication (RFC 8601 section 2.7). */
const result = () =>
  word('none', 'neutral', 'pass', 'fail', 'softfail', 'policy', 'temperror', 'permerror').example('pass');

export const authenticationFields = {
  spf: responseShape('Spf', {
    result: result(),
    domain: text().allow(null).example('example.com'),
    explanation: text().allow(null),
  }),
  dkim: listOf(
    responseShape('Dkim', {
      result: result(),
      domain: text().allow(null).example('example.com'),
      selector: text().allow(null).example('s1'),
      aligned: Joi.boolean(),
      info: text().allow(null),
    }),
  ),
  dmarc: responseShape('Dmarc', {
    result: result(),
    domain: text().allow(null).example('example.com'),
    policy: text().allow(null).example('reject'),
    aligned_spf: Joi.boolean(),
    aligned_dkim: Joi.boolean(),
  }),
  arc: responseShape('Arc', { result: result() }),
};

export function presentAuthentication({ spf, dkim, dmarc, arc }: Authentication) {
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
  message_id: text().allow(null).example('<b7e1@shop.example>'),
  size_bytes: wholeNumber().example(1432),
  authentication_results: text().example('mail.example.com; spf=pass smtp.mailfrom=example.com'),
  checks: responseShape('AuditChecks', {
    critical: checks(),
    warning: checks(),
    info: checks(),
    passed: checks(),
  }),
});

export function presentAudit({ msgid, sizeBytes, content }: Message) {
  return {
    message_id: msgid,
    size_bytes: sizeBytes,
    authentication_results: content.authentication.header,
    checks: content.audit,
  };
}
