/* global Cypress, cy */
import { createClient } from './client.js';
import { retryAfterOf, serverOf, urlOf } from './server.js';

/**
 * Cypress commands. They send requests with `cy.request`, to which no cross-origin rules apply. After a lost connection, it repeats a
 * request four times.
 */

/** Milliseconds that a response may take in addition to the server's wait. */
const graceMs = 30_000;

let client;

/** Returns the client. The first command creates it, so a test can set `SANDPOST_URL` and `SANDPOST_API_KEY` before. */
function clientOf() {
  if (client !== undefined) return client;
  const server = { ...serverOf({}, Cypress.env()), crypto: globalThis.crypto };
  client = createClient(server, (steps) => runByRequests(steps, server, undefined));
  return client;
}

function runByRequests(steps, server, answer) {
  const step = steps.next(answer);
  if (step.done) return cy.wrap(step.value, { log: false });
  const { pause } = step.value;
  if (pause !== undefined)
    return cy.wait(pause * 1000, { log: false }).then(() => runByRequests(steps, server));
  return send(step.value, server).then((next) => runByRequests(steps, server, next));
}

function send({ method, path, query, body, bytes, seconds }, { url, key }) {
  const asked = {
    method,
    url: urlOf(url, path, query),
    headers: key === undefined ? {} : { 'X-API-KEY': key },
    ...(body === undefined ? {} : { body }),
    encoding: bytes ? 'binary' : 'utf8',
    failOnStatusCode: false,
    followRedirect: false,
    log: false,
    timeout: seconds * 1000 + graceMs,
  };
  return cy.request(asked).then((response) => ({
    status: response.status,
    version: response.headers['sandpost-version'] ?? null,
    retryAfter: retryAfterOf(response.headers['retry-after']),
    body: bytes && response.status === 200 ? bytesOf(response.body) : parsed(response.body),
  }));
}

function bytesOf(body) {
  return typeof body === 'string'
    ? Uint8Array.from(body, (character) => character.charCodeAt(0))
    : new Uint8Array(body);
}

/** Returns a JSON body. Cypress parses only some content types. */
function parsed(body) {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

Cypress.Commands.add('inbox', (name = Cypress.currentTest?.title) => clientOf().inbox(name));
Cypress.Commands.add('waitForMail', (inbox, conditions, options) => inbox.wait(conditions, options));
Cypress.Commands.add('expectNoMail', (inbox, conditions, options) => inbox.none(conditions, options));
