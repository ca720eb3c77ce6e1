import type { UserStore } from '#core/access/access.ts';
import type { DeliveryStore } from '#core/delivery/delivery.ts';
import type { Id } from '#core/ids.ts';
import type { MailExaminer } from '#core/messages/examine.ts';
import { withChecks } from '#core/messages/mail-record.ts';
import type { RawMessage } from '#core/messages/message.ts';
import type { ArchivedMessage, ArchiveFolder, ArchiveStore } from './archive.ts';
import { importMarks, type MarkPorts } from './import-marks.ts';
import { type Homes, importTeams, restoreSettings, type TeamPorts } from './import-teams.ts';
import { importUsers } from './import-users.ts';

export type ImportPorts = TeamPorts &
  MarkPorts & {
    users: UserStore;
    archive: ArchiveStore;
    examiner: MailExaminer;
    deliveries: Pick<DeliveryStore, 'commit'>;
  };

/**
 * Writes an archive into a store: users, teams, keys, domains and accounts where they are missing, then the messages in their
 * order, with their flags, expiry and the results of their checks. Ids are new. The folder keeps a table of old to new ones
 * for each store. A repeated run continues after the last message; these teams must not receive mail in between. Imported
 * messages have no events. Returns the number of messages that it wrote, and the names of the teams that were in the store
 * before the first run of this archive, whose people it left alone.
 */
export async function importArchive(
  ports: ImportPorts,
  folder: ArchiveFolder,
  { trustPeople = false }: { trustPeople?: boolean } = {},
): Promise<{ messages: number; leftAlone: string[] }> {
  const { users, teams } = await folder.readPeople();
  const trust = { trustPeople, marks: importMarks(ports, await folder.name()) };
  const homes = await importTeams(ports, teams, await importUsers(ports, users, trust), trust);
  const installation = await ports.archive.installation();
  const imported = await folder.imported(installation);
  let count = 0;
  for await (const message of folder.messages()) {
    if (imported.has(message.id)) continue;
    const id =
      (await findUnnoted(ports, homes, message, imported)) ?? (await restore(ports, homes, folder, message));
    await folder.noteImported(installation, message.id, id);
    imported.set(message.id, id);
    count += 1;
  }
  await restoreSettings(ports, teams, homes);
  const leftAlone = teams.filter(({ id }) => homes.get(id)?.isBefore).map(({ name }) => name);
  return { messages: count, leftAlone };
}

/** Finds a message that was committed before an interruption but not noted. It lies behind all messages that were noted. */
async function findUnnoted(
  { archive }: ImportPorts,
  homes: Homes,
  message: ArchivedMessage,
  imported: Map<Id, Id>,
): Promise<Id | null> {
  const home = homes.get(message.team);
  if (home === undefined || home.settled) return null;
  const noted = new Set(imported.values());
  let place = home.last;
  for (;;) {
    const places = await archive.messagesAfter(home.owner, place, 200);
    const found = places.find(({ id }) => !noted.has(id));
    if (found !== undefined) {
      home.last = found;
      return found.id;
    }
    const last = places.at(-1);
    if (last === undefined) {
      home.settled = true;
      return null;
    }
    place = last;
  }
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
      `message ${message.id} of the archive is for an account or mailbox that the archive does not name`,
    );
  }
  const raw: RawMessage = {
    sizeBytes: message.sizeBytes,
    open: () => folder.openMessage(message.id, message.sizeBytes),
  };
  const { envelope, receivedAt, deliveredTo, tag, submission } = message;
  const arrival = {
    ...envelope,
    receivedAt,
    smtpUtf8: true,
    submitted: true,
    ...(submission && { submission }),
  };
  const record = await examiner.examine(raw, arrival);
  const { isRead, isFlagged, expiresAt, autoDelete, copy, authentication, audit } = message;
  const verdict = await deliveries.commit({
    body: await bodyOf(raw),
    sizeBytes: message.sizeBytes,
    record: withChecks(record, { authentication, audit }),
    receivedAt,
    targets: [
      {
        owner: home.owner,
        accountId,
        mailbox: { id: mailboxId, isRead, isFlagged, expiresAt, autoDelete, copy },
        deliveredTo,
        tag,
        envelope,
      },
    ],
  });
  if ('reason' in verdict)
    throw new Error(`message ${message.id} cannot be stored for ${verdict.address}: ${verdict.reason}`);
  const [id] = verdict.ids;
  if (id === undefined) throw new Error(`message ${message.id} was not stored`);
  return id;
}

async function bodyOf(raw: RawMessage): Promise<{ bytes: Uint8Array }> {
  const pieces: Uint8Array[] = [];
  for await (const piece of raw.open()) pieces.push(piece);
  return { bytes: Buffer.concat(pieces) };
}
