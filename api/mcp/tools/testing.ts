import { fieldsOf, partOf, tool } from '#api/mcp/tool.ts';
import { failureCreation, failureShape } from '#api/nouns/failures.ts';
import { operation } from '#api/operation.ts';
import { comparisonRequest, comparisonShape } from '#api/shapes/comparison.ts';
import { type ChecksQuery, checksQuery, checksShape } from '#api/shapes/message-checks.ts';
import { requestShape } from '#api/shapes/request-shape.ts';
import { compareMails } from '#core/comparison/compare-mails.ts';
import type { Id } from '#core/ids.ts';
import { messageId } from './one-mail.ts';

const checkMessage = operation('checkMessage', checksShape);

const shown = partOf(checksShape, 'clients', 'score', 'complete', 'findings', 'size', 'spam');

/** Most widely used mail clients, because results for all 48 make a long answer. */
const usualClients = 'gmail,outlook,apple-mail';

export const checkMail = tool({
  name: 'check_mail',
  title: 'Check an email',
  description: `Shows how mail clients display an email, and lists its problems: unsupported HTML and CSS, clipping, and problems with the text, links, images and unsubscribe headers. Default \`clients\`: ${usualClients}.`,
  permission: 'mail',
  input: requestShape<ChecksQuery & { id: Id }>('CheckMail', {
    id: messageId(),
    ...fieldsOf(checksQuery, 'clients'),
  }),
  output: shown.schema,
  async run(call, { id, clients = usualClients.split(',') }) {
    const checks = await checkMessage(call, { ids: { message_id: id }, query: { clients } });
    const clientsWithFaults = checks.clients.filter(({ support }) => support !== 'yes');
    const findings = { ...checks.findings, passed: [] };
    return { answer: { ...shown.pick(checks), clients: clientsWithFaults, findings } };
  },
});

export const compareMail = tool({
  name: 'compare_mail',
  title: 'Compare two emails',
  description:
    'Compares two emails in normal form, each specified by its `message_id` or its source in `raw`, and lists the changes. Ignores the order of header fields and attributes, the values in `mask`, and matches of `mask_patterns`. `masked` counts the ignored values. Stores nothing.',
  permission: 'mail',
  input: comparisonRequest,
  takesBody: true,
  output: comparisonShape.schema,
  async run({ services, caller, signal }, { mask: kinds, patterns, ...sides }) {
    const compared = await compareMails(services, caller, sides, { kinds, patterns }, signal);
    return { answer: comparisonShape.present(compared) };
  },
});

const createFailure = operation('createFailure', failureShape);

const shownFailure = partOf(
  failureShape,
  ...([
    'id',
    'name',
    'match',
    'stage',
    'action',
    'reply',
    'dsn',
    'times',
    'delay_ms',
    'rate',
    'expires_at',
  ] as const),
);

export const simulateFailure = tool({
  name: 'simulate_failure',
  title: 'Simulate a mail failure',
  description:
    'Makes matching mail fail, to test retries, bounces and timeouts: with a reply such as "451 4.7.1 Try again", a closed connection, a delay, or a bounce. Set the recipient in `match.address`. Without `match`, all of the team\'s mail fails until the rule ends. The rule makes up to `times` attempts fail, and ends after `expires_in` seconds.',
  permission: 'write',
  input: failureCreation,
  takesBody: true,
  output: shownFailure.schema,
  run: async (call, body) => ({ answer: shownFailure.pick(await createFailure(call, { body })) }),
});
