import type { CatcherCall } from '#api/catchers/route.ts';
import { programVersion } from '#telemetry/program-version.ts';
import { countAll, countUnread, tagCounts } from './listing.ts';

const noFigures = Object.fromEntries(
  ['Memory', 'MessagesDeleted', 'SMTPAccepted', 'SMTPAcceptedSize', 'SMTPRejected', 'SMTPIgnored'].map(
    (name) => [name, 0],
  ),
);

/** Responds with general information. Omits the process's runtime figures because they cover all teams. */
export async function answerInfo(call: CatcherCall) {
  const tags = await tagCounts(call);
  return {
    ...{ Version: programVersion, LatestVersion: 'disabled', Database: 'sandpost', DatabaseSize: 0 },
    Messages: await countAll(call),
    Unread: await countUnread(call),
    Tags: Object.fromEntries(tags.map(({ name, count }) => [name, count])),
    RuntimeStats: { Uptime: Math.floor(process.uptime()), ...noFigures },
  };
}

/** Responds with what Mailpit's own page may offer. */
export async function answerWebUi({ services }: CatcherCall) {
  const { spamUrl } = services.config;
  return {
    Label: '',
    MessageRelay: { Enabled: false },
    SpamAssassin: spamUrl?.startsWith('spamd:') ?? false,
    Rspamd: spamUrl?.startsWith('http:') ?? false,
    ...{ ChaosEnabled: false, DuplicatesIgnored: false, HideDeleteAllButton: false },
  };
}
