import Joi from 'joi';
import { collection } from '#api/collection.ts';
import { get } from '#api/route.ts';
import { transcriptShape } from '#api/shapes/message-checks.ts';
import {
  answerOf,
  at,
  listOf,
  nullable,
  responseShape,
  text,
  wholeNumber,
  word,
} from '#api/shapes/response-shape.ts';
import { found } from '#core/errors.ts';
import { adviceOf, reasons } from '#core/refusals/advice.ts';
import { dialogueOf, type Refusal } from '#core/refusals/refusal.ts';

export const refusalShape = answerOf<Refusal>()('Refusal', {
  id: wholeNumber().min(1).example(12),
  at: at((refusal) => refusal.at),
  remote_address: nullable(Joi.string()).example('203.0.113.7'),
  helo: nullable(text())
    .example('mail.shop.example')
    .description('Name that the client sent in EHLO or HELO. Null for a provider API.'),
  mail_from: nullable(text()).example('shop@example.com').description('Null before MAIL, or if unknown.'),
  rcpt_to: listOf(text().example('qa@app.test')).description('Recipients that belong to the team.'),
  authenticated_as: nullable(
    responseShape(null, {
      kind: word('account', 'api_key').example('account'),
      name: text().example('qa@app.test'),
    }),
  ).description(
    'Account or API key that signed in. At stage `auth`: the account or key that tried to sign in.',
  ),
  stage: word('connect', 'auth', 'mail', 'rcpt', 'data', 'end', 'api')
    .example('rcpt')
    .description(
      '`connect`: when connecting, or at any other command; `data`: at the DATA command; `end`: after the content; `api`: in a provider API.',
    ),
  reply: text().example('550 5.1.1 <qq@app.test>: no such account'),
  failure_id: [
    nullable(wholeNumber().min(1))
      .example(null)
      .description('Failure rule that caused the refusal. Null for any other cause.'),
    ({ failure = null }) => failure,
  ],
  reason: word(...reasons).example('no-such-account'),
  advice: [
    text()
      .example('The address does not exist on app.test. Create the account, or a catch-all.')
      .description("Advice on how to fix the refusal's cause."),
    adviceOf,
  ],
});

export const refusalRoutes = collection({
  noun: ['Refusal', 'Refusals'],
  path: '/api/refusals',
  id: 'refusal_id',
  shape: refusalShape,
  list: {
    summary: 'List mail refused in the last 24 h, newest first',
    description:
      "Lists up to 1,000 emails, recipients and sign-ins that the SMTP listener and the provider APIs refused for the team's " +
      'domains, addresses and credentials.',
    run: ({ services, caller, query }) => services.refusals.list(caller.team, query),
  },
  more: [
    get({
      path: '/api/refusals/{refusal_id}/transcript',
      operationId: 'getRefusalTranscript',
      summary: 'Read the SMTP dialogue that led to a refusal',
      description:
        "Returns the last 2,000 characters, without credentials, content or other teams' recipients. Empty for a provider API.",
      success: { description: 'Commands and replies, in order', shape: transcriptShape },
      async handle({ services, caller, ids: { refusal_id: id } }) {
        const { items } = await services.refusals.list(caller.team, { page: 1, limit: 1 }, id);
        return dialogueOf(found(items[0] ?? null));
      },
    }),
  ],
});
