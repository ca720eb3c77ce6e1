import type { Team } from '#core/access/people.ts';
import type { AccountStore } from '#core/accounts/account.ts';
import type { RowLists, RowReader } from '#core/change.ts';
import type { Id } from '#core/ids.ts';
import type { MessageStore, Visibility } from '#core/messages/message.ts';
import { visibilityAt } from '#core/messages/retention.ts';
import { keptTranscript, writeTranscript } from '#core/messages/transcript.ts';
import { allOf } from '#core/page.ts';
import type { MailRule, RuleWords } from '#core/rules/mail-rule.ts';
import { type ArchiveFolder, type ArchiveStore, beginning, type Place } from './archive.ts';
import type { ArchivedTeam, ArchivedUser } from './archive-shapes.ts';

type Ports = {
  archive: ArchiveStore;
  rows: RowReader & RowLists;
  accounts: AccountStore;
  messages: MessageStore;
  clock: () => Date;
  retentionDays: number;
};

const batch = 200;

/**
 * Writes the whole store to a folder: users, teams with members, key hashes, saved searches, rules, domains and accounts, and each
 * visible message. Excludes invitations and audit logs. A repeated run on the same folder continues after the last written message.
 * Returns the number of messages that this run wrote.
 */
export async function exportArchive(ports: Ports, folder: ArchiveFolder): Promise<number> {
  const teams = await allOf((page) => ports.rows.list('teams', { personal: true }, page));
  const users: ArchivedUser[] = [];
  for (const { user, ...record } of await allOf((page) => ports.rows.list('users', {}, page))) {
    users.push({ ...user, ...record, identities: await ports.rows.read('identities', { user: user.id }) });
  }
  const described: ArchivedTeam[] = [];
  for (const team of teams) described.push(await describeTeam(ports, team));
  await folder.secret();
  await folder.writePeople({ users, teams: described });
  const written = new Map<Id, Place>();
  for await (const { team, number, id } of folder.messages()) written.set(team, { number, id });
  const visibility = visibilityAt(ports.clock(), ports.retentionDays);
  let count = 0;
  for (const { id } of teams) {
    count += await exportMessages(ports, folder, id, written.get(id) ?? beginning, visibility);
  }
  return count;
}

async function exportMessages(
  { archive, messages }: Ports,
  folder: ArchiveFolder,
  team: Id,
  start: Place,
  visibility: Visibility,
): Promise<number> {
  let count = 0;
  for (let place = start; ; ) {
    const places = await archive.messages(team, { after: place, limit: batch });
    for (const { id } of places) {
      const message = await messages.find(team, id, visibility);
      const raw = await messages.raw(team, id, visibility);
      // The message was deleted or expired after it was listed. An archive contains only visible messages.
      if (message === null || raw === null) continue;
      const { content, ...rest } = message;
      const { authentication, audit, submission } = content;
      const transcript = writeTranscript(keptTranscript(message, team));
      await folder.addMessage(
        {
          ...rest,
          team,
          authentication,
          audit,
          ...(submission && { submission }),
          ...(transcript && { transcript }),
        },
        raw.open(),
      );
      count += 1;
    }
    const last = places.at(-1);
    if (last === undefined) return count;
    place = last;
  }
}

async function describeTeam({ rows, accounts }: Ports, team: Team): Promise<ArchivedTeam> {
  const { id } = team;
  const members = await allOf((page) => rows.list('members', { team: id }, page));
  const { apiKeys, passwords } = await rows.read('credentials', { team: id });
  const ownAccounts = await allOf((page) => accounts.list(id, {}, page));
  return {
    ...team,
    members: members.flatMap(({ email, grants, joinedAt }) => {
      const lasting = grants.filter(({ source }) => source === 'direct' || source === 'group');
      return lasting.length === 0 ? [] : [{ email, grants: lasting, joinedAt }];
    }),
    apiKeys,
    rules: (await rows.read('mailRules', { team: id })).map(wordsOf),
    searches: (await rows.read('searches', { team: id })).map(({ name, q }) => ({ name, q })),
    domains: await allOf((page) => rows.list('domains', { team: id }, page)),
    accounts: ownAccounts.map((account) => ({
      ...account,
      passwordHash: passwords.get(account.id) ?? null,
    })),
  };
}

function wordsOf({ id: _, position: _p, matched: _m, discarded: _d, ...words }: MailRule): RuleWords {
  return words;
}
