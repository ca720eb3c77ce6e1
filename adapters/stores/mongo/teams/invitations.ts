import type { Context } from '#adapters/stores/mongo/context.ts';
import { checkQuota } from '#adapters/stores/mongo/quota.ts';
import { type InvitationRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import { highest } from '#core/access/role.ts';
import { offsetOf } from '#core/page.ts';
import type { Invitation, InvitationStore } from '#core/teams/invitation.ts';
import { writeGrant } from './members.ts';
import { toTeam } from './teams.ts';

function toInvitation({ _id: id, hash: _hash, ...rest }: InvitationRow): Invitation {
  return { id, ...rest };
}

export function createInvitations(context: Context): InvitationStore {
  const { collections, ids, withTeamLock } = context;
  const { invitations, teams, members } = collections;
  const findValid = async (hash: string, now: Date) => {
    const row = await invitations.findOne({ hash, expiresAt: { $gt: now } });
    const team = row && (await teams.findOne({ _id: row.team, ...notDeleted }));
    return row && team && { invitation: toInvitation(row), team: toTeam(team) };
  };
  return {
    async insert({ hash, ...invitation }, most) {
      const { team, createdBy, createdAt } = invitation;
      const [id = 0] = await ids.take('invitations', 1);
      return withTeamLock([team], async ({ session }) => {
        if ((await teams.findOne({ _id: team, ...notDeleted }, { session })) === null) return null;
        const creator = { team, role: 'owner', suspended: false } as const;
        if (
          createdBy !== null &&
          (await members.findOne({ ...creator, user: createdBy }, { session })) === null
        )
          return null;
        await checkQuota(invitations, { team, expiresAt: { $gt: createdAt } }, most, session);
        await invitations.insertOne({ _id: id, hash, ...invitation }, { session });
        return { id, ...invitation };
      });
    },
    async list(team, now, page) {
      const wanted = { team, expiresAt: { $gt: now } };
      const rows = invitations.find(wanted).sort({ _id: -1 }).skip(offsetOf(page)).limit(page.limit);
      const [items, total] = await Promise.all([rows.toArray(), invitations.countDocuments(wanted)]);
      return { items: items.map(toInvitation), total };
    },
    async remove(team, id) {
      return (await invitations.deleteOne({ _id: id, team })).deletedCount === 1;
    },
    find: findValid,
    async accept(hash, user, now, most) {
      const found = await findValid(hash, now);
      if (found === null) return null;
      const { invitation, team } = found;
      if (invitation.email !== null && invitation.email !== user.email) return null;
      return withTeamLock([team.id, user.id], async (lock) => {
        const { session } = lock;
        const used = await invitations.deleteOne({ _id: invitation.id, hash }, { session });
        if (used.deletedCount === 0) return null;
        const before = await members.findOne({ team: team.id, user: user.id }, { session });
        if (before === null) await checkQuota(members, { user: user.id }, most.teams, session);
        const direct = before?.grants.filter(({ source }) => source === 'direct') ?? [];
        const role = highest(invitation.role, ...direct.map((grant) => grant.role));
        const grant = { source: 'direct', role } as const;
        const member = await writeGrant(context, lock, [
          team.id,
          user.id,
          grant,
          { now, most: most.members },
        ]);
        return member === null || member === 'last-owner' ? null : { team, role: member.role };
      });
    },
    async removeExpired(now) {
      await invitations.deleteMany({ expiresAt: { $lte: now } });
    },
  };
}
