import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditChecks, Authentication, MessageContent } from '#core/messages/content.ts';
import { messageShape } from './message.ts';

const person = { name: 'Shop', address: 'shop@example.com' };
const content: Pick<MessageContent, 'from' | 'to' | 'headers' | 'codes' | 'links'> = {
  from: person,
  to: [person],
  headers: [{ name: 'Subject', value: 'Welcome' }],
  codes: [{ value: '493817', source: 'text' }],
  links: [{ url: 'https://shop.example/verify', text: 'Verify', kind: 'verify' }],
};
const authentication: Pick<Authentication, 'spf' | 'dkim' | 'arc'> = {
  spf: { result: 'pass', domain: 'example.com', explanation: null },
  dkim: [{ result: 'none', domain: null, selector: null, aligned: false, info: null }],
  arc: { result: 'none' },
};
const check = { id: 'spf', title: 'SPF', detail: 'pass for example.com' };
const checks: AuditChecks = { critical: [], warning: [], info: [], passed: [check] };

// A response contains these core objects uncopied, where the compiler would let extra fields pass.
for (const [name, value] of Object.entries({ ...content, ...authentication, 'audit.checks': checks })) {
  test(`${name} of the core has the fields of the wire and no others`, () => {
    assert.equal(messageShape.schema.extract(name).validate(value, { convert: false }).error, undefined);
  });
}
