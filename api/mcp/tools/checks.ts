import { fieldsOf, partOf } from '#api/mcp/parts.ts';
import { operation, tool } from '#api/mcp/tool.ts';
import { type ChecksQuery, checksQuery, checksShape } from '#api/shapes/message-checks.ts';
import { requestShape } from '#api/shapes/request-shape.ts';
import type { Id } from '#core/ids.ts';
import { messageId } from './one-mail.ts';

const checkMessage = operation('checkMessage', checksShape);

const shown = partOf(checksShape, 'clients', 'score', 'findings', 'size', 'spam');

/** Clients that most people read mail with: those of all 48 make a long answer. */
const usualClients = 'gmail,outlook,apple-mail';

export const checkMail = tool({
  name: 'check_mail',
  title: 'Check a mail',
  description: `Tells how mail clients show a mail, and what readers and spam filters find in it: HTML and CSS that a client does not support, clipping, missing text, links, images, unsubscribe. Without \`clients\`: those of ${usualClients}.`,
  permission: 'read',
  input: requestShape<ChecksQuery & { id: Id }>('CheckMail', {
    id: messageId(),
    ...fieldsOf(checksQuery, 'clients'),
  }),
  inputIs: 'query',
  output: shown.schema,
  async run(call, { id, clients = usualClients.split(',') }) {
    const checks = await checkMessage(call, { ids: { message_id: id }, query: { clients } });
    const clientsWithFaults = checks.clients.filter(({ support }) => support !== 'yes');
    const findings = { ...checks.findings, passed: [] };
    return { answer: { ...shown.pick(checks), clients: clientsWithFaults, findings } };
  },
});
