import { partOf } from '#api/mcp/parts.ts';
import { operation, tool } from '#api/mcp/tool.ts';
import { failureCreation, failureShape } from '#api/shapes/failure.ts';

const createFailure = operation('createFailure', failureShape);

const shown = partOf(
  failureShape,
  ...(['id', 'match', 'stage', 'action', 'reply', 'dsn', 'times', 'delay_ms', 'rate', 'expires_at'] as const),
);

export const simulateFailure = tool({
  name: 'simulate_failure',
  title: 'Make mail fail on purpose',
  description:
    'Makes mail that matches fail, to test retries, bounces and time-outs: a reply such as "451 4.7.1 Try again", a closed connection, a delay, or a bounce. Name the recipient in `match.address`: a rule without a match fails all mail of the team until it is over. It ends after `times` attempts or `expires_in` seconds.',
  permission: 'write',
  input: failureCreation,
  inputIs: 'body',
  output: shown.schema,
  run: async (call, body) => ({ answer: shown.pick(await createFailure(call, { body })) }),
});
