import type { Ctx, Handler } from '#api/context.ts';
import { frameDocument, framePolicy, frameSandbox } from '#api/frame-document.ts';
import { sendBytes } from '#api/message-source.ts';
import { longJson } from '#api/middleware/representation.ts';
import { untilHangUp } from '#api/request-signals.ts';
import { sendAttachment } from '#api/routes/message-bytes.ts';
import { shownMessage } from '#api/shapes/message.ts';
import { presentList } from '#api/shapes/page.ts';
import { requireRead } from '#api/shapes/problem.ts';
import { countAttempt } from '#core/access/attempts.ts';
import { clientNetwork } from '#core/access/client-network.ts';
import { hashSecret } from '#core/access/secrets.ts';
import { found, NotFound } from '#core/errors.ts';
import { type Id, parseId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { listMessages } from '#core/messages/list-messages.ts';
import { readDocument } from '#core/messages/mail-document.ts';
import { readMessage } from '#core/messages/read-message.ts';
import { ownCopy } from '#core/messages/within-accounts.ts';
import { openShare } from '#core/shares/change-shares.ts';
import { shareUrl } from '#core/shares/create-share.ts';
import type { Share } from '#core/shares/share.ts';
import { recordAction } from '#core/teams/record-action.ts';
import { turnOf } from '#gate/event-loop.ts';
import { FailedSignIns } from '#gate/failed-sign-ins.ts';
import type { Services } from '#setup/services.ts';
import { showList, showMessage } from './shared-pages.ts';
import { sharedMessage, sharedSummary } from './shared-shapes.ts';

/** Path of a share link: its secret, a message of its account, and a part of the message. */
const sharedPath = /^\/s\/([\w-]{43})(?:\/messages\/(\d+))?(?:\/(html|attachments\/(\d+)))?$/;

/** Messages per page of an account's link. */
const pageLimit = 50;

/** Open link: what it shows, its address and its path. `party` is charged for its responses, separately from the team's own reads. */
type Opened = { share: Share; secret: string; party: Id; url: string; path: string };

/**
 * Shows messages and accounts, below `/s/`, to anybody who has a link. Wrong, expired and revoked secrets get the same response and count
 * against the client's address, which gets 429 after too many of them. This refuses no valid secret, because nobody guesses one.
 */
export function serveShares(services: Services): Handler {
  const guesses = new FailedSignIns(services);
  return async (ctx, next) => {
    if (ctx.path !== '/s' && !ctx.path.startsWith('/s/')) return next();
    ctx.state.route = '/s/{secret}';
    ctx.state.forBrowsers = true;
    ctx.set('X-Robots-Tag', 'noindex');
    ctx.vary('Accept');
    requireRead(ctx.method);
    const party = `share ${clientNetwork(ctx.ip)}`;
    try {
      await answer(services, ctx);
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      guesses.check(party);
      await guesses.count([party]);
      throw new NotFound('This link is invalid, has expired or was revoked');
    }
    ctx.set('Cache-Control', 'no-store');
  };
}

async function answer(services: Services, ctx: Ctx): Promise<void> {
  const [, secret, message, part, attachment] = sharedPath.exec(ctx.path) ?? [];
  if (secret === undefined) throw new NotFound();
  const wanted = { hash: hashSecret(secret), now: services.clock() };
  const { items } = await services.rows.list('shares', wanted, { page: 1, limit: 1 });
  const [share] = items;
  if (share === undefined) throw new NotFound();
  const sentence = 'Too many requests with this link from your address in one minute';
  await countAttempt(services, `share:${share.id}:${clientNetwork(ctx.ip)}`, 'shares.requests', sentence);
  const party = -(await services.payers.of(share.team));
  ctx.state.party = party;
  await turnOf(party);
  const path = `${services.config.basePath}/s/${secret}`;
  const opened = { share, secret, party, url: shareUrl(services.config, secret), path };
  const id = share.messageId ?? parseId(message ?? '');
  // A message's link shows no other message, and an account's link has no message parts.
  if (share.messageId !== null && message !== undefined) throw new NotFound();
  if (id !== null) await answerMessage(services, ctx, opened, id, { part, attachment: Number(attachment) });
  else if (message === undefined && part === undefined) await answerList(services, ctx, opened);
  else throw new NotFound();
  if (ctx.method === 'GET') await noteOpening(services, ctx, share);
}

async function answerList(services: Services, ctx: Ctx, { share, party, url, path }: Opened): Promise<void> {
  const page = parseId(new URLSearchParams(ctx.querystring).get('page') ?? '1') ?? 0;
  if (page < 1 || page * pageLimit > limits.shares.messages) throw new NotFound();
  const accountId = share.accountId ?? 0;
  const account = found(await services.accounts.find(share.team, accountId));
  const part = { page, limit: pageLimit };
  const list = await listMessages(services, share.team, { accountId }, {}, part, {
    user: party,
    signal: untilHangUp(ctx),
  });
  // If the email has no To field, its recipients come from the envelope. Several are hidden because some may be blind.
  const items = list.items.flatMap(({ copy, toAddresses: to, ...row }) =>
    copy ? [] : { ...row, copy, toAddresses: to.length > 1 ? [account.address] : to },
  );
  if (prefersHtml(ctx)) {
    showList(ctx, { ...list, items }, { end: share.expiresAt, path, address: account.address, ...part });
    return;
  }
  const rows = items.map((item) => ({ ...item, url: `${url}/messages/${item.id}` }));
  const listed = presentList({ items: rows, total: list.total }, part, sharedSummary);
  sendJson(ctx, Buffer.from(JSON.stringify(listed)));
}

async function answerMessage(
  services: Services,
  ctx: Ctx,
  opened: Opened,
  id: Id,
  { part, attachment }: { part: string | undefined; attachment: number },
): Promise<void> {
  const { share, party, url, path } = opened;
  const found = await readMessage(services, share.team, id);
  // Hides copies of email that the account sent.
  if (share.accountId !== null && (found.accountId !== share.accountId || found.copy)) throw new NotFound();
  if (part === 'html') return sendDocument(services, ctx, id, opened);
  if (part !== undefined) return sendAttachment(services, ctx, share.team, id, attachment);
  const place = share.accountId === null ? '' : `/messages/${id}`;
  const shown = shownMessage(ownCopy(found), { url: (rest) => `${url}${place}${rest}` });
  if (prefersHtml(ctx)) {
    const account = share.accountId === null ? null : { path, address: share.name };
    showMessage(ctx, shown, { end: share.expiresAt, path: path + place, account });
  } else sendJson(ctx, await longJson(sharedMessage.present(shown), party));
}

/** Policy of an email's document in its page's frame. */
const framedPolicy = `${framePolicy(false)}; sandbox ${frameSandbox}; frame-ancestors 'self'`;
/** Head of the document in the frame. Links open in another tab because a page that replaced the email would be blocked. */
const framedHead = Buffer.from(frameDocument('<base target="_blank">', false));

async function sendDocument(services: Services, ctx: Ctx, id: Id, { share, party }: Opened): Promise<void> {
  const mail = await readDocument(services, { user: party, signal: untilHangUp(ctx) }, share.team, id, true);
  ctx.set('Content-Security-Policy', framedPolicy);
  await sendBytes(ctx, 'text/html', framedHead.length + mail.sizeBytes, async function* () {
    yield framedHead;
    yield* mail.open();
  });
}

const prefersHtml = (ctx: Ctx) => ctx.accepts('html', 'json') !== 'json';

function sendJson(ctx: Ctx, bytes: Buffer): void {
  ctx.type = 'application/json';
  ctx.body = bytes;
}

/** Records the first opening of a link in its team's audit log. */
async function noteOpening(services: Services, ctx: Ctx, share: Share): Promise<void> {
  if (share.openedAt !== null) return;
  const opening = { team: share.team, share: share.id, now: services.clock() };
  if (!(await services.rows.change(openShare, opening))) return;
  const anybody = { name: 'anyone with the link', remoteAddress: ctx.ip };
  await recordAction(services, share.team, anybody, 'share.opened', share.name);
}
