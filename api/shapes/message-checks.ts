import Joi from 'joi';
import type { MessageChecks } from '#core/checks/check-message.ts';
import type { ClientVerdict, LimitedFeature } from '#core/checks/client-support.ts';
import type { TranscriptLine } from '#core/messages/transcript.ts';
import { auditChecks } from './message.ts';
import { requestShape } from './request-shape.ts';
import {
  type AnswerShape,
  answerOf,
  each,
  listOf,
  nullable,
  responseShape,
  text,
  url,
  type Wire,
  wholeNumber,
  word,
} from './response-shape.ts';
import { queryText } from './values.ts';

export type ChecksQuery = { clients?: string[] };

export const checksQuery = requestShape<ChecksQuery>('ChecksQuery', {
  clients: queryText(2_000)
    .empty('')
    .custom((list: string) => list.split(',').map((name) => name.trim().toLowerCase()))
    .description(
      "Client families or names, comma-separated: `gmail,outlook.windows`. Default: the team's chosen clients, or else all.",
    ),
});

const support = () => word('yes', 'partial', 'no').example('partial');

const featureShape = answerOf<LimitedFeature>()('LimitedFeature', {
  slug: text().example('css-display-flex'),
  title: text().example('display:flex'),
  url: url().example('https://www.caniemail.com/features/css-display-flex/'),
  support: support(),
  count: wholeNumber().min(1).example(3).description('Number of uses in the HTML.'),
  line: wholeNumber().min(1).example(12).description('First HTML line that uses the feature.'),
  notes: listOf(text()),
});

const clientShape = answerOf<ClientVerdict>()('ClientVerdict', {
  client: text().example('outlook.windows'),
  support: support().description('Support for the least supported feature that the email uses.'),
  features: each(featureShape, ({ features }) => features),
});

const spamShape = responseShape('SpamVerdict', {
  score: nullable(Joi.number()).example(6.2),
  threshold: nullable(Joi.number()).example(5),
  rules: listOf(
    responseShape('SpamRule', {
      name: text().example('MISSING_SUBJECT'),
      score: Joi.number().example(1.8),
      description: text().example('Missing Subject: header'),
    }),
  ),
  error: nullable(text()).example(null).description('Reason that the filter returned no score.'),
});

export const checksShape = answerOf<MessageChecks>()('MessageChecks', {
  clients: each(clientShape, ({ clients }) => clients),
  score: Joi.number()
    .integer()
    .min(0)
    .max(100)
    .description(
      "Support for the features that the email uses, weighted by each client's usage. `partial` counts half.",
    ),
  complete: [
    responseShape(null, {
      clients: wholeNumber().example(9).description('Number of clients with `yes` for every feature.'),
      of: wholeNumber().example(48),
    }),
    ({ complete }) => complete,
  ],
  families: listOf(text().example('gmail')).description('Client families to choose from.'),
  data_date: text().example('2026-05-13').description('Date of the caniemail.com data.'),
  findings: auditChecks,
  size: [
    responseShape(null, {
      html_bytes: wholeNumber()
        .example(20480)
        .description('Size of the HTML. The checks cover its first 1 MiB.'),
      clipped: Joi.boolean().description('Whether Gmail clips the email, as it does from 102 KiB.'),
    }),
    ({ size }) => ({ html_bytes: size.htmlBytes, clipped: size.clipped }),
  ],
  spam: nullable(spamShape).description('Null if no spam filter is configured.'),
});

export const linksShape = listOf(
  responseShape('CheckedLink', {
    url: text().example('https://shop.example/orders/7'),
    status: nullable(Joi.number().integer().min(100).max(999))
      .example(200)
      .description('HTTP status of the last response.'),
    error: nullable(text())
      .example(null)
      .description('Reason that Sandpost did not request the link, or that the request failed.'),
    redirects: wholeNumber()
      .example(1)
      .description('Number of redirects that Sandpost followed, up to three.'),
    ms: wholeNumber().example(84),
  }),
);

const lineShape = answerOf<TranscriptLine>()('TranscriptLine', {
  at_ms: wholeNumber().example(12).description('Milliseconds since the connection opened.'),
  from: word('client', 'server').example('client'),
  line: text().example('RCPT TO:<qa@app.test>'),
});

export const transcriptShape: AnswerShape<TranscriptLine[], Wire<typeof lineShape>[]> = {
  schema: listOf(lineShape.schema),
  present: (lines) => lines.map(lineShape.present),
};
