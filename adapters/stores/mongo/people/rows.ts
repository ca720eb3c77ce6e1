import type {
  ApiKeyRow,
  IdentityRow,
  InvitationRow,
  MemberRuleRow,
  TeamRow,
  UserRow,
} from '#adapters/stores/mongo/schema/rows.ts';
import type { ApiKey, Identity, User } from '#core/access/access.ts';
import type { Invitation, Rule, Team } from '#core/access/people.ts';
import type { Id } from '#core/ids.ts';

export function toUser({ _id: id, email, createdAt }: UserRow): User {
  return { id, email, createdAt };
}

export function toTeam({ _id: id, name, kind, createdAt }: TeamRow): Team {
  return { id, name, kind, createdAt };
}

export function toInvitation({ _id: id, hash: _hash, ...rest }: InvitationRow): Invitation {
  return { id, ...rest };
}

export function toRule({ _id: id, ...rest }: MemberRuleRow): Rule {
  return { id, ...rest };
}

/** Returns a key with its creator, whom the row names by id. */
export function toApiKey({ _id: id, hash: _hash, ...rest }: ApiKeyRow, createdBy: User | null): ApiKey {
  return { id, ...rest, createdBy };
}

/** Returns the id of an identity's row. An issuer is a URL, which has no spaces. */
export function identityKey({ issuer, subject }: Identity): string {
  return `${issuer} ${subject}`;
}

/** Returns the identity of a row. */
export function identityOf({ _id, issuer }: IdentityRow): Identity {
  return { issuer, subject: _id.slice(identityKey({ issuer, subject: '' }).length) };
}

/** Returns the id of a member's row. */
export function memberKey(team: Id, user: Id): string {
  return `${team}/${user}`;
}
