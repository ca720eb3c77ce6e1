import type { UserStore } from '#core/access/access.ts';
import type { DeliveryStore, DeliveryTarget } from '#core/delivery/delivery.ts';
import { prepareMail } from '#core/delivery/prepare-mail.ts';
import { sentBy } from '#core/delivery/with-senders.ts';
import type { Id } from '#core/ids.ts';
import type { MailExaminer } from '#core/messages/examine.ts';
import { withChecks } from '#core/messages/mail-record.ts';
import type { MessageStore, RawMessage, Visibility } from '#core/messages/message.ts';
import { recipientsOf } from '#core/messages/recipients.ts';
import type { ArchiveFolder, ArchiveStore } from './archive.ts';
import type { ArchivedMessage } from './archive-shapes.ts';
import { type Homes, importTeams, restoreSettings, type TeamPorts } from './import-teams.ts';
import { importMarks, importUsers, type MarkPorts } from './import-users.ts';

export type ImportPorts = TeamPorts &
  MarkPorts & {
    installation: string;
    users: UserStore;
    archive: ArchiveStore;
    examiner: MailExaminer;
    deliveries: Pick<DeliveryStore, 'commit'>;
    messages: Pick<MessageStore, 'raw'>;
  };

/** Visibility that includes expired messages: an archive's messages may have expired since the export. */
const ofAnyAge: Visibility = { now: new Date(-8.64e15), receivedAfter: new Date(-8.64e15) };

/**
 * Writes an archive to a store: first missing users, teams, keys, domains and accounts, then the messages in their order, with their
 * flags, expiration and check results. Assigns new IDs; for each store, the folder keeps a table from old to new IDs. A repeated run
 * continues after the last message. Imported messages have no events. Returns the number of messages that this run wrote, and the names
 * of the teams that were in the store before this archive's first run. The members of these teams are not changed.
 */
export async function importArchive(
  ports: ImportPorts,
  folder: ArchiveFolder,
  { trustPeople = false }: { trustPeople?: boolean } = {},
): Promise<{ messages: number; leftAlone: string[] }> {
  const { users, teams } = await folder.readPeople();
  const trust = { trustPeople, marks: importMarks(ports, await folder.secret()) };
  const homes = await importTeams(ports, teams, await importUsers(ports, users, trust), trust);
  const { installation } = ports;
  const imported = await folder.imported(installation);
  const noted = new Set(imported.values());
  // Messages are recorded in order, so any message that an interrupted run wrote without recording it comes first.
  let mayBeThere = true;
  let count = 0;
  for await (const message of folder.messages()) {
    if (imported.has(message.id)) continue;
    const found: Id | null = mayBeThere ? await findUnnoted(ports, homes, folder, message, noted) : null;
    mayBeThere = found !== null;
    const id: Id = found ?? (await restore(ports, homes, folder, message));
    await folder.noteImported(installation, message.id, id);
    imported.set(message.id, id);
    noted.add(id);
    count += 1;
  }
  await restoreSettings(ports, teams, homes);
  const leftAlone = teams.filter(({ id }) => homes.get(id)?.isBefore).map(({ name }) => name);
  return { messages: count, leftAlone };
}

/**
 * Finds a message that an interrupted run committed without recording it: a message with the archived message's facts and bytes. Never
 * matches the team's other mail, which may be older or newer.
 */
async function findUnnoted(
  { archive, messages }: ImportPorts,
  homes: Homes,
  folder: ArchiveFolder,
  message: ArchivedMessage,
  noted: Set<Id>,
): Promise<Id | null> {
  const home = homes.get(message.team);
  const mailboxId = home?.mailboxes.get(message.mailboxId);
  if (home === undefined || mailboxId === undefined) return null;
  const alike = await archive.messages(home.owner, { alike: { ...message, mailboxId } });
  const candidates = alike
    .map(({ id }) => id)
    .filter((id) => !noted.has(id))
    .sort((a, b) => a - b);
  if (candidates.length === 0) return null;
  const bytes = await bytesOf(rawOf(folder, message));
  for (const id of candidates) {
    const raw = await messages.raw(home.owner, id, ofAnyAge);
    if (raw !== null && bytes.equals(await bytesOf(raw))) return id;
  }
  return null;
}

async function restore(
  { examiner, deliveries }: ImportPorts,
  homes: Homes,
  folder: ArchiveFolder,
  message: ArchivedMessage,
): Promise<Id> {
  const home = homes.get(message.team);
  const accountId = home?.accounts.get(message.accountId);
  const mailboxId = home?.mailboxes.get(message.mailboxId);
  if (home === undefined || accountId === undefined || mailboxId === undefined) {
    throw new Error(
      `message ${message.id} in the archive belongs to an account or mailbox that the archive does not list`,
    );
  }
  const raw = rawOf(folder, message);
  const { envelope, receivedAt, deliveredTo, tag, tags, traceId, submission, transcript } = message;
  const arrival = {
    ...envelope,
    receivedAt,
    smtpUtf8: true,
    submitted: true,
    ...(traceId && { trace: { traceId } }),
    ...(submission && { submission }),
    ...(transcript && { transcript }),
  };
  const record = await examiner.examine(raw, arrival);
  const { isRead, isFlagged, expiresAt, autoDelete, copy, authentication, audit } = message;
  const target: DeliveryTarget = {
    owner: home.owner,
    accountId,
    mailbox: { id: mailboxId, isRead, isFlagged, expiresAt, autoDelete, copy },
    deliveredTo,
    tag,
    recipients: recipientsOf(message),
    ...(tags && { tags }),
    envelope,
  };
  const restored = withChecks(record, { authentication, audit });
  const body = { bytes: await bytesOf(raw) };
  const prepared = prepareMail(restored, body, receivedAt, [target], message.sizeBytes);
  const { sender } = envelope;
  const [verdict] = await deliveries.commit([sender ? sentBy(prepared, sender) : prepared]);
  if (verdict !== undefined && 'reason' in verdict)
    throw new Error(`message ${message.id} cannot be stored for ${verdict.address}: ${verdict.reason}`);
  const id = verdict?.ids[0];
  if (id === undefined) throw new Error(`message ${message.id} was not stored`);
  return id;
}

function rawOf(folder: ArchiveFolder, { id, sizeBytes }: ArchivedMessage): RawMessage {
  return { sizeBytes, open: () => folder.openMessage(id, sizeBytes) };
}

async function bytesOf(raw: RawMessage): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(raw.open()));
}
