import { limit, pace } from './limit.ts';

/** Teams, their members and their audit logs. */
export const teams = {
  ofUser: limit(100, 'items', 'user', 'teams that the user is in', '422'),
  members: limit(1_000, 'items', 'team', 'members', '422'),
  memberRules: limit(1_000, 'items', 'team', 'Member resources', 'condition Ready is False'),
  groups: limit(500, 'items', 'user', 'groups of the identity provider', 'further ones are ignored'),
  invitations: limit(100, 'items', 'team', 'invitations that have not been accepted', '422'),
  invitationRate: limit(60, 'a minute', 'user', 'invitations made', '429'),
  auditEntries: pace(
    20_000,
    'items',
    'team and actor',
    'entries of the audit log',
    'the oldest of the actor are removed',
  ),
  auditRate: pace(
    1_000,
    'an hour',
    'team, actor and action',
    'entries of the audit log',
    'one entry counts the rest',
  ),
};
