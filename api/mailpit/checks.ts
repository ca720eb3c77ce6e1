import { STATUS_CODES } from 'node:http';
import { type CatcherCall, sendText } from '#api/catchers/route.ts';
import { malformed } from '#api/shapes/problem.ts';
import { checkMessage } from '#core/checks/check-message.ts';
import type { ClientVerdict, Support } from '#core/checks/client-support.ts';
import { checkLinks } from '#core/extraction/check-links.ts';
import { limits } from '#core/limits.ts';
import { idOf, messageOf } from './listing.ts';
import { openMessage } from './reading.ts';

const share = (part: number, whole: number) => (100 * part) / Math.max(1, whole);

/** Returns the percentages of clients by how well they support an email or a feature. */
function scoreOf(supports: { support: Support }[], clients: number) {
  const countOf = (wanted: Support) => supports.filter(({ support }) => support === wanted).length;
  const [lacking, partly] = [countOf('no'), countOf('partial')];
  return {
    Supported: share(clients - lacking - partly, clients),
    Partial: share(partly, clients),
    Unsupported: share(lacking, clients),
  };
}

/** Responds with how clients show the HTML: each client's newest version, from caniemail's data. */
export async function answerHtmlCheck(call: CatcherCall) {
  const { services, caller, signal } = call;
  const { id, content } = await messageOf(call);
  if (content.html === null) throw malformed('message does not contain HTML');
  const { clients } = await checkMessage(services, caller, id, null, signal);
  return {
    Warnings: warningsOf(clients),
    Platforms: {},
    Total: { Tests: services.clientTable.features.size, Nodes: 0, ...scoreOf(clients, clients.length) },
  };
}

/** Presents the features that some client does not support, or supports only partially. */
function warningsOf(clients: ClientVerdict[]) {
  const uses = clients.flatMap(({ client, features }) => features.map((feature) => ({ client, ...feature })));
  const warnings = [...Map.groupBy(uses, ({ slug }) => slug)].map(([slug, same]) => ({
    ...{ Slug: slug, Title: same[0]?.title, URL: same[0]?.url, Category: slug.split('-')[0] },
    ...{ Description: '', Tags: [], Keywords: '', NotesByNumber: {} },
    Results: same.map(({ client, support }) => ({
      ...{ Name: client, Platform: platformOf(client), Family: familyOf(client), Version: '' },
      ...{ Support: support, NoteNumber: '' },
    })),
    Score: { Found: same[0]?.count, ...scoreOf(same, clients.length) },
  }));
  return warnings.sort((a, b) => a.Score.Supported - b.Score.Supported);
}

const familyOf = (client: string) => client.split('.', 1)[0] ?? '';
const platformOf = (client: string) => client.slice(familyOf(client).length + 1);

const disabled = 'Not requested: SANDPOST_OUTBOUND does not allow outbound requests';

/** Requests a message's links. A link that is not requested has the reason as its status. */
export async function answerLinkCheck(call: CatcherCall) {
  const { services, caller, signal } = call;
  const { id, content } = await openMessage(call);
  const most = limits.outbound.links;
  const checked =
    services.links === null
      ? content.links.slice(0, most).map(({ url }) => ({ url, status: null, error: disabled }))
      : await checkLinks(services, caller.userId, caller.team, id, most, signal);
  const links = checked.map(({ url, status, error }) => ({
    URL: url,
    StatusCode: status ?? 0,
    Status: error ?? STATUS_CODES[status ?? 0] ?? '',
  }));
  return { Errors: links.filter(({ StatusCode: code }) => code >= 400 || code === 0).length, Links: links };
}

/** Responds with the spam filter's result, from SpamAssassin or rspamd. */
export async function answerSpamCheck(call: CatcherCall) {
  const { services, caller, signal } = call;
  const id = await idOf(call);
  const { spam } = await checkMessage(services, caller, id, null, signal);
  if (spam === null) return sendText(call.ctx, 'No spam filter is configured: set SANDPOST_SPAM_URL', 501);
  const { score, threshold, rules, error } = spam;
  return {
    IsSpam: score !== null && threshold !== null && score >= threshold,
    Error: error ?? '',
    Score: score ?? 0,
    Threshold: threshold ?? 0,
    Action: '',
    Rules: rules.map(({ name, score, description }) => ({
      Score: score,
      Name: name,
      Description: description,
    })),
  };
}
