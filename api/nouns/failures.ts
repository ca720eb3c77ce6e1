import Joi from 'joi';
import { collection } from '#api/collection.ts';
import { writeShapes } from '#api/shapes/request-shape.ts';
import { answerOf, at, each, listOf, nullable, text, wholeNumber, word } from '#api/shapes/response-shape.ts';
import {
  durationValue,
  flagValue,
  limitedText,
  nameValue,
  textValue,
  wholeValue,
} from '#api/shapes/values.ts';
import { addFailure, removeFailure, setFailure } from '#core/failures/change-failures.ts';
import type { Action, Attempt, Failure, ReportKind, Stage } from '#core/failures/failure.ts';
import type { FailureInput } from '#core/failures/failure-words.ts';
import { limits } from '#core/limits.ts';

const stage = () => word<Stage>('auth', 'mail', 'rcpt', 'data', 'end', 'api').example('rcpt');
const action = () => word<Action>('reply', 'drop', 'reset', 'dsn', 'delay').example('reply');
const report = () => word<ReportKind>('failed', 'delayed', 'delivered', 'autoreply', 'complaint');

const example = { match: { address: 'qa+run7@app.test' }, reply: '451 4.7.1 Try again', times: 2 };

const address = (what: string) => textValue(3, 320).allow(null).description(what);

const { creation, update } = writeShapes<FailureInput>(
  'Failure',
  {
    name: nameValue(1, 100).allow(null).description('Display name.').example('Mailbox full'),
    active: {
      names: ['is_active', 'isActive'],
      schema: flagValue().description(
        'Whether the rule is active. If false, the rule is paused. Default: true.',
      ),
    },
    match: Joi.object({
      q: limitedText(1, 'answers.queryCharacters')
        .allow(null)
        .description('Search query for the message itself. Can match only after the content arrives.'),
      address: address('Recipient, including its tag.'),
      from: address('Envelope sender.'),
    })
      .messages({ 'object.unknown': 'is unknown: use address, from or q' })
      .description('All conditions must match. Without conditions, the rule matches everything.')
      .example(example.match),
    stage: stage().description('Default: `rcpt`.'),
    action: action().description('Default: `reply`.'),
    reply: textValue(1, 500)
      .allow(null)
      .description(
        'Code from 400 to 599, an optional enhanced status code, and a text. At stage `api`: the HTTP status and a text.',
      )
      .example(example.reply),
    dsn: nullable(report())
      .description('Kind of report for the action `dsn`. Default: `failed`.')
      .example('failed'),
    times: wholeValue(1, 1_000_000)
      .allow(null)
      .description('Number of attempts that fail. Later attempts pass. Null: all attempts fail.')
      .example(2),
    delayMs: wholeValue(0, 60_000)
      .allow(null)
      .description('Delay before the reply, in milliseconds.')
      .example(5000),
    rate: Joi.object({
      limit: wholeValue(0, 1_000_000).required(),
      seconds: wholeValue(1, 86_400).required(),
    })
      .allow(null)
      .description('Only attempts beyond `limit` within `seconds` fail.')
      .example({ limit: 10, seconds: 60 }),
    expiresIn: durationValue(1)
      .description('Time until the rule ends, in seconds or as a duration such as `10m`. Default: 3600.')
      .example(3600),
  },
  { example, change: { is_active: false }, ignored: ['id', 'hits', 'attempts', 'created_at', 'expires_at'] },
);

export const failureCreation = creation;

const attemptShape = answerOf<Attempt>()('FailureAttempt', {
  at: at((one) => one.at),
  remote_address: nullable(Joi.string()).example('192.0.2.7'),
  mail_from: nullable(text())
    .example('app@app.test')
    .description('Empty for the null sender. Null if unknown.'),
  rcpt_to: listOf(text().example('qa+run7@app.test')),
  reply: nullable(text())
    .example(example.reply)
    .description("The rule's reply, or its action if it sent no reply. Null if the attempt passed."),
});

const matchShape = answerOf<Failure['match']>()(null, {
  q: nullable(text()),
  address: nullable(text()).example(example.match.address),
  from: nullable(text()),
});

const rateShape = answerOf<NonNullable<Failure['rate']>>()(null, {
  limit: wholeNumber().example(10),
  seconds: wholeNumber().min(1).example(60),
});

export const failureShape = answerOf<Failure>()('Failure', {
  id: wholeNumber().min(1).example(5),
  name: nullable(text()).example(null),
  is_active: [Joi.boolean().example(true), ({ active }) => active],
  match: [matchShape.schema, ({ match }) => matchShape.present(match)],
  stage: stage(),
  action: action(),
  reply: nullable(text()).example(example.reply),
  dsn: nullable(report()).example(null),
  times: nullable(wholeNumber()).example(2),
  delay_ms: nullable(wholeNumber()).example(null),
  rate: [nullable(rateShape.schema), ({ rate }) => rate && rateShape.present(rate)],
  expires_in: wholeNumber().min(1).example(3600),
  hits: wholeNumber().example(2).description('Number of attempts that failed.'),
  attempts: each(attemptShape, ({ attempts }) => attempts),
  created_at: at(({ createdAt }) => createdAt),
  expires_at: at(({ expiresAt }) => expiresAt),
});

const nameOf = ({ name, stage, action, match: { address, from, q } }: Failure) =>
  name ?? [stage, action, address ?? from ?? q ?? ''].join(' ').trimEnd();

export const failureRoutes = collection({
  noun: ['Failure', 'Failures'],
  words: ['failure rule', 'failure rules'],
  path: '/api/failures',
  id: 'failure_id',
  shape: failureShape,
  list: {
    summary: "List the team's current failure rules, oldest first, with their attempts",
    run: ({ services, caller, query }) =>
      services.rows.list('failures', { team: caller.team, now: services.clock() }, query),
  },
  create: {
    summary: 'Create a failure rule that makes mail or requests fail',
    description: 'See docs/failures.md. The oldest matching rule applies.',
    body: failureCreation,
    run({ services, caller, body: input }) {
      const wanted = { team: caller.team, input, now: services.clock(), most: limits.owned.failures };
      return services.rows.change(addFailure, wanted);
    },
    audit: (failure) => ['failure.created', nameOf(failure)],
  },
  get: {
    summary: 'Read a failure rule, with its attempts',
    async run({ services, caller, ids: { failure_id: id } }) {
      const wanted = { team: caller.team, now: services.clock(), id };
      const { items } = await services.rows.list('failures', wanted, { page: 1, limit: 1 });
      return items[0] ?? null;
    },
  },
  update: {
    summary: 'Change or pause a failure rule',
    description:
      'The rule keeps its attempts. `match` replaces all conditions, and `expires_in` counts from now. A different action, or a stage of a different protocol, resets the reply to its default.',
    body: update,
    run({ services, caller, ids, body: set }) {
      const wanted = { team: caller.team, failure: ids.failure_id, set, now: services.clock() };
      return services.rows.change(setFailure, wanted);
    },
    audit: (failure) => ['failure.changed', nameOf(failure)],
  },
  delete: {
    summary: 'Delete a failure rule',
    run({ services, caller, ids }) {
      const gone = { team: caller.team, failure: ids.failure_id, now: services.clock() };
      return services.rows.change(removeFailure, gone);
    },
    audit: (failure) => ['failure.deleted', nameOf(failure)],
  },
});
