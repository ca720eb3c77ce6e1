import { hashSecret, newSecret } from '#core/access/secrets.ts';
import type { AccountStore } from '#core/accounts/account.ts';
import type { RowStore } from '#core/change.ts';
import { invalid, NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { type ReadPorts, readMessage } from '#core/messages/read-message.ts';
import { addShare } from './change-shares.ts';
import type { Share, ShareTarget } from './share.ts';

type Ports = ReadPorts & { rows: RowStore; accounts: Pick<AccountStore, 'find'> };

/** Maximum and default validity of a link, in seconds. */
export const mostShareSeconds = 30 * 86_400;
export const shareSeconds = 7 * 86_400;

/**
 * Link to create. `createdBy` is its creator, or null if a key without a creator creates it. `latest` is the expiration of the key that
 * makes the call: a link cannot outlive that key.
 */
export type NewShare = {
  target: ShareTarget;
  expiresIn: number;
  createdBy: Id | null;
  latest?: Date | null;
};

/**
 * Creates a link to one of a team's messages or accounts. Returns the link with its secret, which is not stored. Throws Invalid for a
 * target that the team does not have, and what `addShare` throws.
 */
export async function createShare(
  ports: Ports,
  team: Id,
  { target, expiresIn, createdBy, latest = null }: NewShare,
): Promise<{ share: Share; secret: string }> {
  const { rows, clock } = ports;
  const named = await nameOf(ports, team, target);
  const name = [...named.slice(0, 2 * limits.shares.nameCharacters)].slice(0, limits.shares.nameCharacters);
  const secret = newSecret();
  const now = clock();
  const end = Math.min(now.getTime() + expiresIn * 1000, latest?.getTime() ?? Number.POSITIVE_INFINITY);
  const share = await rows.change(addShare, {
    team,
    messageId: null,
    accountId: null,
    ...target,
    ...(createdBy !== null && { user: createdBy }),
    name: name.join(''),
    now,
    expiresAt: new Date(end),
    hash: hashSecret(secret),
    most: limits.shares.ofTeam,
  });
  return { share, secret };
}

/** Returns the URL that opens a link. */
export function shareUrl({ baseUrl }: { baseUrl: string }, secret: string): string {
  return `${baseUrl}/s/${secret}`;
}

async function nameOf(ports: Ports, team: Id, target: ShareTarget): Promise<string> {
  if ('accountId' in target) {
    const account = await ports.accounts.find(team, target.accountId);
    if (account === null) throw invalid('accountId', 'is not the id of one of your accounts');
    return account.address;
  }
  const message = await readMessage(ports, team, target.messageId).catch((error: unknown) => {
    throw error instanceof NotFound ? invalid('messageId', 'is not the id of one of your messages') : error;
  });
  return message.subject;
}
