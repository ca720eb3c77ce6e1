import Joi from 'joi';
import type { Assertion, Verdict } from '#core/assertions/assert-mail.ts';
import type { Clause, ClauseResult } from '#core/assertions/clause.ts';
import { limits } from '#core/limits.ts';
import type { Facts } from '#core/messages/assume.ts';
import type { Query, Term } from '#core/messages/query.ts';
import { readTerm } from '#core/query/values.ts';
import { factFields } from './authentication.ts';
import { clauseValue } from './clause.ts';
import { conditionsOf, filterOf } from './message-query.ts';
import { nearMissShape } from './message-summary.ts';
import { requestShape } from './request-shape.ts';
import { answerOf, each, nullable, text, wholeNumber, word } from './response-shape.ts';
import { searchText } from './search.ts';
import { nameValue, textValue, wholeValue } from './values.ts';

type GivenFind = { address?: Term; q?: Query | ''; after?: number; wait?: number; count?: number };

const { clauses: mostClauses, messages: mostMessages } = limits.assertions;

const countValue = () =>
  wholeValue(1, Number.MAX_SAFE_INTEGER)
    .custom((count: number, helpers) => {
      if (count <= mostMessages) return count;
      return helpers.message(
        { custom: `must be at most ${mostMessages}` },
        { reached: 'assertions.messages' },
      );
    })
    .meta({ swagger: { maximum: mostMessages } });

const findValue = () =>
  Joi.object({
    address: textValue(1, 320)
      .custom(
        (typed: string, helpers) =>
          readTerm('address', typed) ?? helpers.message({ custom: 'must not be blank' }),
      )
      .description('Exact recipient address, including its tag.')
      .example('qa+signup@app.test'),
    q: searchText().example('subject:welcome'),
    after: wholeValue(0).description(
      'Only messages that arrived after this one, even if it has since been deleted. 0: all messages.',
    ),
    wait: wholeValue(0, 120).description('Seconds to wait for `count` messages.').example(30),
    count: countValue().description(
      'Number of messages that must exist. Each clause must pass for each of the newest `count` messages.',
    ),
  })
    .messages({ 'object.unknown': 'is unknown: use address, q, after, wait or count' })
    .prefs({ abortEarly: true })
    .custom(findOf)
    .description('Messages to check: the newest matches in all your accounts.');

function findOf({ address, q, after = 0, wait = 0, count = 1 }: GivenFind): Assertion['find'] {
  const asked = { ...(address && { address }), ...(q && { query: q }) };
  return {
    filter: filterOf(asked),
    conditions: conditionsOf(asked),
    address: address?.typed ?? null,
    since: after === 0 ? {} : { messageId: after },
    waitMs: wait * 1000,
    count,
  };
}

type AssertionRequest = Omit<Assertion, 'facts'> & Facts & { name: string };

const expectValue = () =>
  Joi.array()
    .items(clauseValue())
    // Reports only one fault: a request may contain thousands of unknown fields.
    .prefs({ abortEarly: true })
    .custom((clauses: Clause[], helpers) => {
      if (clauses.filter(({ on }) => on === 'clients').length <= 1) return clauses;
      return helpers.message({ custom: 'must have at most one clause on clients' });
    })
    .meta({ swagger: { maxItems: mostClauses } })
    .description('Clauses, which must all pass.');

export const assertionRequest = requestShape<AssertionRequest>(
  'Assertion',
  {
    name: nameValue(1, 200)
      .default('sandpost assert')
      .description('Name in a JUnit report.')
      .example('sign-up'),
    find: findValue().required(),
    expect: { schema: expectValue().required(), mostItems: 'assertions.clauses' },
    ...factFields,
  },
  {
    example: {
      find: { address: 'qa+signup@app.test', wait: 30 },
      expect: [{ subject: { contains: 'Welcome' } }, { code: { matches: '^\\d{6}$' } }],
    },
    ignored: [],
  },
);

/** Returns a request's assertion. If no fact is given, the results from delivery apply. */
export function assertionOf({ name: _, find, expect, ...facts }: AssertionRequest): Assertion {
  const { clientIp, helo, mailFrom, records, dns } = facts;
  const isAssumed =
    dns || records.length > 0 || [clientIp, helo, mailFrom].some((fact) => fact !== undefined);
  return { find, expect, facts: isAssumed ? facts : null };
}

export const assertionQuery = requestShape<{ format: 'json' | 'junit' }>('AssertionQuery', {
  format: word('json', 'junit')
    .default('json')
    .description('`junit`: JUnit XML, with one test case per clause.'),
});

const clauseResultShape = answerOf<ClauseResult>()('ClauseResult', {
  name: text().example('subject contains "Welcome"'),
  passed: Joi.boolean().example(false),
  expected: text().example('Welcome'),
  actual: nullable(text()).example('Hello').description('Null if the message has no such part.'),
});

export const verdictShape = answerOf<Verdict>()('Verdict', {
  passed: Joi.boolean().example(false),
  message_id: nullable(wholeNumber().min(1))
    .example(7)
    .description('Newest message. Null if too few messages match.'),
  clauses: [
    each(clauseResultShape, ({ clauses }: Verdict) => clauses)[0].description(
      'Results in the order of `expect`. If too few messages match: one clause with their number.',
    ),
    ({ clauses }) => clauses.map(clauseResultShape.present),
  ],
  near_misses: each(nearMissShape, ({ nearMisses }) => nearMisses),
});
