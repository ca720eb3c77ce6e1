import assert from 'node:assert/strict';
import { test } from 'node:test';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { HttpClient } from '#test/support/clients/http.ts';
import { Contract, type Document } from '#test/support/clients/openapi.ts';
import { programOfAll } from '#test/support/program/scene.ts';

const program = await programOfAll();
const document: Document = (await new HttpClient(program).get('/api/openapi.json')).json;

/** Operations that clients rely on. None may disappear from the document. */
const promised = `
  GET /api/health
  GET /api/openapi.json
  GET /api/domains
  POST /api/domains
  PATCH /api/domains/{domain_id}
  DELETE /api/domains/{domain_id}
  GET /api/accounts
  POST /api/accounts
  GET /api/accounts/{account_id}
  PATCH /api/accounts/{account_id}
  DELETE /api/accounts/{account_id}
  GET /api/accounts/{account_id}/mailboxes
  POST /api/accounts/{account_id}/mailboxes
  PATCH /api/accounts/{account_id}/mailboxes/{mailbox_id}
  DELETE /api/accounts/{account_id}/mailboxes/{mailbox_id}
  GET /api/accounts/{account_id}/mailboxes/{mailbox_id}/messages
  GET /api/accounts/{account_id}/mailboxes/{mailbox_id}/messages/{message_id}/download
  GET /api/accounts/{account_id}/mailboxes/{mailbox_id}/messages/{message_id}/source
  PUT /api/accounts/{account_id}/mailboxes/{mailbox_id}/messages/{message_id}/move
  POST /api/accounts/{account_id}/messages/send
  GET /api/messages/{message_id}
  PATCH /api/messages/{message_id}
  PUT /api/messages/{message_id}
  DELETE /api/messages/{message_id}
  GET /api/messages/{message_id}/raw
  GET /api/messages/{message_id}/attachments/{attachment_id}
  GET /api/tokens
  POST /api/tokens
  DELETE /api/tokens/{token_id}
  GET /api/events`
  .trim()
  .split('\n')
  .map((line) => line.trim());

test('the document is OpenAPI 3.0.0 in version 0.2.0, and two validators take it', async () => {
  assert.equal(document.openapi, '3.0.0');
  assert.equal(document.info.version, '0.2.0');
  await SwaggerParser.validate(JSON.parse(JSON.stringify(document)));
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors));
});

test('answers are checked against the document that the program serves', async () => {
  const { document: checked } = await Contract.of(program);
  assert.deepEqual([checked.paths, checked.components], [document.paths, document.components]);
});

test('every promised operation is documented', () => {
  const described = operations().map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  const unexpected = promised.filter((line) => !described.includes(line));
  assert.deepEqual(unexpected, []);
});

test('every operation can answer with 401, 404, 422 and 429, as problem details', () => {
  for (const { operation } of operations()) {
    // Providers respond in their own formats.
    if (operation.tags?.includes('Providers')) continue;
    for (const status of ['400', '401', '404', '422', '429']) {
      assert.ok(operation.responses[status]?.content?.['application/problem+json'], operation.operationId);
    }
  }
});

test('operation ids are unique, and only these operations are public', () => {
  const ids = operations().map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(
    operations()
      .filter(({ operation }) => operation.security?.length === 0)
      .map(({ operation }) => operation.operationId),
    [
      'getHealth',
      'listSignInMethods',
      'register',
      'login',
      'logout',
      'signInByOpenId',
      'finishOpenIdSignIn',
      'showInvitation',
      'getOpenApi',
    ],
  );
});

test('operations that are not public need a key or a session', async () => {
  const visitor = new HttpClient(program);
  for (const { method, path, operation } of operations()) {
    const { status, headers } = await visitor.call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '1'));
    if (operation.security?.length === 0) assert.notEqual(status, 401, operation.operationId);
    else {
      assert.equal(status, 401, operation.operationId);
      assert.equal(headers['ratelimit-limit'], undefined, 'who is not known is not counted');
    }
  }
});

test('answered objects are closed and complete', () => {
  const answered = [
    'Domain',
    'Account',
    'Mailbox',
    'Message',
    'MessageSummary',
    'Token',
    'Problem',
    'Pagination',
  ];
  for (const name of answered) {
    const schema = document.components.schemas[name] as Record<string, object>;
    assert.equal(schema.additionalProperties, false, name);
    assert.deepEqual(schema.required, Object.keys(schema.properties ?? {}), name);
  }
});

function operations() {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}
