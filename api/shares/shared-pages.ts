import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Ctx } from '#api/context.ts';
import { frameSandbox } from '#api/frame-document.ts';
import { inHtml } from '#api/plain-page.ts';
import { attachmentName } from '#api/routes/message-bytes.ts';
import type { ShownMessage } from '#api/shapes/message.ts';
import { limits } from '#core/limits.ts';
import type { MessageList } from '#core/messages/message.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const style = read('../web/style/tokens.css') + read('shared.css');
const script = read('refresh.js');
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = `default-src 'none'; style-src ${hashOf(style)}; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
const listPolicy = `${policy}; script-src ${hashOf(script)}; connect-src 'self'`;

/** Attribute or style in HTML with the URL of an image on the web. */
const fromWeb = /(?:src(?:set)?|background|url\()[\s="'(]*(?:https?:)?\/\//i;

/** Page that a link opens. `end` is when the link expires, and `path` is the path of the page's content. */
type Place = { end: Date; path: string };

/** Shows a message. `account` is the path and address of the account whose link shows the message, or null. */
export function showMessage(
  ctx: Ctx,
  message: ShownMessage,
  { end, path, account }: Place & { account: { path: string; address: string } | null },
): void {
  const { subject, content, receivedAt } = message;
  const { from, to, cc, codes, html, text, attachments } = content;
  const title = subject === '' ? 'No subject' : subject;
  const shownTo = to.length > 0 ? to : message.toAddresses.map((address) => ({ name: '', address }));
  const words = cut(text ?? '', limits.shares.textCharacters);
  const main = content.links.filter(({ url }) => url === message.mainLink).slice(0, 1);
  const body = [
    account && `<p><a href="${account.path}">All messages for ${inHtml(account.address)}</a></p>`,
    `<h1 dir="auto">${inHtml(title)}</h1>`,
    '<dl>',
    fact('From', from ? person(from) : person({ name: '', address: message.fromAddress })),
    fact('To', people(shownTo)),
    cc.length > 0 && fact('Cc', people(cc)),
    fact('Received', time(receivedAt)),
    '</dl>',
    section(
      'Codes',
      codes.map(({ value }) => `<li><code>${inHtml(value)}</code></li>`),
    ),
    section('Main link', linkRows(main)),
    html !== null &&
      `<iframe title="The message as HTML" src="${path}/html" sandbox="${frameSandbox}" referrerpolicy="no-referrer"></iframe>`,
    html !== null && fromWeb.test(html) && '<p class="small">Images from the web are not loaded.</p>',
    text !== null &&
      `<details${html === null ? ' open' : ''}><summary>Text</summary><pre dir="auto" tabindex="0" role="region" aria-label="Text of the message">${inHtml(words)}</pre></details>`,
    words !== (text ?? '') && '<p class="small">The text is cut. The JSON version has the rest.</p>',
    section(
      'Attachments',
      attachments.map((one) => {
        const name = inHtml(attachmentName(one));
        return `<li><a href="${path}/attachments/${one.id}" download><bdi>${name}</bdi></a> <span class="small">${size(one.sizeBytes)}</span></li>`;
      }),
    ),
    section('Links', linkRows(content.links)),
  ];
  showPage(ctx, { title, body, end, head: '' }, policy);
}

/** Shows a page of an account's messages, which reloads itself. */
export function showList(
  ctx: Ctx,
  { items, total }: MessageList,
  { end, path, address, page, limit }: Place & { address: string; page: number; limit: number },
): void {
  const last = Math.max(1, Math.ceil(Math.min(total, limits.shares.messages) / limit));
  const count = `${total.toLocaleString('en')} ${total === 1 ? 'message' : 'messages'}`;
  const rows = items.map(
    ({ id, subject, intro, code, fromName, fromAddress, receivedAt }) => `<li id="m${id}">
<a href="${path}/messages/${id}"><bdi>${inHtml(subject === '' ? 'No subject' : subject)}</bdi></a>
<span class="from"><bdi>${inHtml(fromName ?? fromAddress)}</bdi> ${time(receivedAt)}</span>
<span class="intro" dir="auto">${inHtml(intro)}</span>${code === null ? '' : `\n<code>${inHtml(code)}</code>`}</li>`,
  );
  const turn = (to: number, label: string) => `<a href="${path}?page=${to}">${label}</a>`;
  const body = [
    `<h1><bdi>${inHtml(address)}</bdi></h1>`,
    `<p id="count" role="status">${total === 0 ? 'No mail yet. New messages appear automatically.' : count}</p>`,
    `<ul id="rows" aria-label="Messages">${rows.join('\n')}</ul>`,
    `<p id="pages">${page > 1 ? turn(page - 1, 'Newer messages') : ''} ${page < last ? turn(page + 1, 'Older messages') : ''}</p>`,
    '<noscript><p class="small">Reload this page to see new mail.</p></noscript>',
  ];
  const head = `<script type="module">${script}</script>`;
  showPage(ctx, { title: address, body, end, head }, listPolicy);
}

type Shown = { title: string; body: (string | false | null)[]; end: Date; head: string };

function showPage(ctx: Ctx, { title, body, end, head }: Shown, contentPolicy: string): void {
  ctx.set('Content-Security-Policy', contentPolicy);
  ctx.type = 'html';
  ctx.body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${inHtml(title)} · Sandpost</title><style>${style}</style>${head}</head>
<body><header><strong>Sandpost</strong> <span>Shared through a read-only link until ${time(end)}</span></header>
<main>
${body.filter((part) => part).join('\n')}
</main></body></html>
`;
}

const timeFormat = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

const time = (at: Date) =>
  `<time datetime="${at.toISOString()}">${timeFormat.format(at).replace(',', '')} UTC</time>`;

const fact = (name: string, value: string) => `<div><dt>${name}</dt><dd>${value}</dd></div>`;

const section = (title: string, rows: string[]) =>
  rows.length > 0 && `<section><h2>${title}</h2><ul>${rows.join('\n')}</ul></section>`;

type Person = { name: string; address: string };

const person = ({ name, address }: Person) =>
  `${name === '' || name === address ? '' : `<bdi>${inHtml(name)}</bdi> `}<bdi class="small">${inHtml(address)}</bdi>`;

function people(all: Person[]): string {
  const more = all.length - limits.shares.people;
  return all.slice(0, limits.shares.people).map(person).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Returns rows for the links. A link that does not lead to a website is plain text. */
function linkRows(links: { url: string; text: string }[]): string[] {
  return links.slice(0, limits.shares.links).map(({ url, text }) => {
    const words = inHtml(text === '' ? url : text);
    const target = /^https?:\/\//i.test(url)
      ? `<a href="${inHtml(url)}" target="_blank" rel="noopener noreferrer nofollow" dir="auto">${words}</a>`
      : words;
    return `<li>${target}${text === '' ? '' : ` <span class="small url">${inHtml(url)}</span>`}</li>`;
  });
}

const size = (bytes: number) => `${Math.ceil(bytes / 1024).toLocaleString('en')} KiB`;

const cut = (text: string, most: number) => (text.length <= most ? text : text.slice(0, most).toWellFormed());
