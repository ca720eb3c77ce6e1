import { refuseLimited } from '#core/access/caller.ts';
import { withinAccounts } from '#core/messages/within-accounts.ts';
import type { Reader } from '#core/store.ts';
import type { Services } from '#setup/services.ts';
import type { State } from './context.ts';

/** Services that depend on no team, except through each call's arguments. */
const neutral = [
  ...(['config', 'log', 'metrics', 'clock', 'retentionDays', 'receivedBy', 'maxMessageBytes'] as const),
  ...(['searches', 'clientTable', 'mailComparer'] as const),
  ...(['checkPatterns', 'inspectMail', 'judgeClauses', 'writeDocument'] as const),
  ...(['reexaminer', 'spamFilter'] as const),
] satisfies (keyof Services)[];
const isNeutral = new Set<string>(neutral);

type Ports = { services: Services; reader: Reader };

/**
 * Returns a call's ports. For a key limited to accounts, narrows the ports of their mail to these accounts. All other ports refuse,
 * except the neutral ones. A new service therefore refuses until it is declared narrowed or neutral.
 */
export function portsOf(services: Services, { caller, reader }: Pick<State, 'caller' | 'reader'>): Ports {
  const accountIds = caller?.accountIds ?? null;
  if (accountIds === null) return { services, reader };
  const narrow = withinAccounts(services, accountIds);
  const limited = Object.assign({ ...services }, narrow);
  for (const name of Object.keys(services))
    if (!isNeutral.has(name) && !(name in narrow))
      Object.defineProperty(limited, name, { get: refuseLimited, enumerable: false });
  const { apiKeys, sessions, teams } = reader;
  const { mailboxes } = narrow;
  const read = { ...services.messages, find: reader.messages.find };
  const { messages } = withinAccounts({ ...services, messages: read }, accountIds);
  return { services: limited, reader: { apiKeys, sessions, teams, mailboxes, messages } };
}
