import type { Role } from '../client/shapes.ts';

export const roles = ['owner', 'member', 'viewer'] as const satisfies Role[];

/** Roles described for people who have not read the documentation. */
export const roleWords: Record<Role, { as: string; may: string }> = {
  owner: { as: 'an owner', may: 'do everything' },
  member: {
    as: 'a member',
    may: 'do everything except change members, invitations and the team itself',
  },
  viewer: { as: 'a viewer', may: 'read everything and change nothing' },
};
