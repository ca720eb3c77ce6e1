import { defineChange, type Plan, type Write } from '#core/change.ts';
import { NotFound, requireRoom, SharesForbidden } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Share } from './share.ts';

const quota = { field: 'expiresIn', limit: 'shares.ofTeam', things: 'share links' } as const;

/** Link to create. `now` is its creation time. `user` is its creator, or null if a key without a creator creates it. */
type Given = Pick<Share, 'messageId' | 'accountId' | 'name' | 'expiresAt'> & {
  team: Id;
  user?: Id;
  now: Date;
  hash: string;
  most?: number;
};

/**
 * Creates a link. Throws NotFound if the team does not exist or the user is no longer a member, SharesForbidden, and Invalid if the team
 * already has `most` links.
 */
export const addShare = defineChange(
  'addShare',
  ['newShare', 'team', 'user', 'member', 'shares'],
  ({ newShare: id, team, user, member, shares }, given: Given): Plan<Share> => {
    const { user: createdBy = null, messageId, accountId, name, expiresAt, now: createdAt, hash } = given;
    const isMember = member !== null && user?.disabledAt === null;
    if (team === null || (createdBy !== null && !isMember)) throw new NotFound();
    if (!team.allowsShares) throw new SharesForbidden("This team's owners don't allow share links");
    requireRoom(shares.live, { ...quota, most: given.most });
    const target = { messageId, accountId, name };
    const share = { id, team: team.id, ...target, createdBy, createdAt, expiresAt, openedAt: null };
    const writes: Write[] = [{ do: 'add-share', share, hash }];
    // Deleting mail leaves its links. Ending them here bounds a team's links in the store.
    if (shares.gone.length > 0) writes.unshift({ do: 'end-shares', where: { ids: shares.gone } });
    return { writes, result: share };
  },
);

/** Revokes a link and returns it. Throws NotFound. */
export const endShare = defineChange(
  'endShare',
  ['share'],
  ({ share }, { share: id }: { team: Id; share: Id; now: Date }): Plan<Share> => {
    if (share === null) throw new NotFound();
    return { writes: [{ do: 'end-shares', where: { ids: [id] } }], result: share };
  },
);

/** Records that a link was opened. Returns true if this was the first time. */
export const openShare = defineChange(
  'openShare',
  ['share'],
  ({ share }, { share: id, now }: { team: Id; share: Id; now: Date }): Plan<boolean> =>
    share?.openedAt === null
      ? { writes: [{ do: 'set-share', share: id, set: { openedAt: now } }], result: true }
      : { writes: [], result: false },
);
