import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { before, describe, test } from 'node:test';
import { startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { deliver } from '#test/support/program/program-mail.ts';
import { forAllTests } from '#test/support/program/scene.ts';

const folder = new URL('./clients/', import.meta.url);
const skip = existsSync(new URL('node_modules', folder))
  ? false
  : 'test/setup.sh, which installs clients of Mailpit, was not run';

type Mail = { ID: string; Subject: string; Attachments: { PartID: string }[]; Inline: { PartID: string }[] };
type Body = Record<string, unknown>;

const dev = await forAllTests(startProcess('dev', { SANDPOST_DATA_DIR: await temporaryDir() }));
const url = `http://127.0.0.1:${dev.ports.http}`;

async function send(subject: string): Promise<void> {
  const attachments = [{ filename: 'a.txt', content: 'abc' }];
  const parts = { text: 'Code 493817', html: '<p>Code <img src="cid:p"></p>', attachments };
  await deliver({ smtpPort: dev.ports.smtp }, { to: 'ada@example.org', subject, ...parts });
}

/** Parts of the package mailpit-api that the test calls. */
type MailpitApi = {
  MailpitClient: new (
    url: string,
  ) => Record<string, (...args: unknown[]) => Promise<Body | Blob>> & {
    waitForMessage(search: { query: string }, options: { timeout: number }): Promise<Mail>;
  };
};

test('mailpit-api of npm: 26 calls answer, and 4 say why there is no counterpart', {
  skip,
}, async () => {
  await send('Hello é');
  const { MailpitClient }: MailpitApi = createRequire(new URL('package.json', folder))('mailpit-api');
  const client = new MailpitClient(url);
  const { ID: id, Attachments: files } = await client.waitForMessage(
    { query: 'subject:Hello' },
    { timeout: 20_000 },
  );
  const [{ PartID: part } = { PartID: '' }] = files;
  const person = { Email: 'ada@example.org', Name: 'Ada' };
  const mail = { From: person, To: [person], Subject: 'Sent', Text: 'Hi', Tags: ['three'] };
  const calls: [method: string, args: unknown[], expected: RegExp][] = [
    ['getInfo', [], /"Messages":1,"Unread":0/],
    ['getConfiguration', [], /"ChaosEnabled":false/],
    ['getMessageSummary', [id], /"Subject":"Hello é"/],
    ['getMessageSummary', [], /"Subject":"Hello é"/],
    ['getMessageHeaders', [id], /"Subject":\["Hello é"\]/],
    ['getMessageAttachment', [id, part], /^abc$/],
    ['getAttachmentThumbnail', [id, part], /cccccc/],
    ['getMessageSource', [id], /Code 493817/],
    ['sendMessage', [mail], /"ID":"\d+"/],
    ['listMessages', [0, 10], /"total":2,"unread":1,"count":2/],
    ['setReadStatus', [{ IDs: [id], Read: true }], /ok/],
    ['setReadStatus', [{ Search: 'subject:Hello', Read: false }], /ok/],
    ['searchMessages', [{ query: 'tag:three', limit: 5 }], /"messages_count":1/],
    ['htmlCheck', [id], /"Total":\{/],
    ['linkCheck', [id, false], /"Links":\[\]/],
    ['getTags', [], /\["three"\]/],
    ['setTags', [{ IDs: [id], Tags: ['alpha', 'beta'] }], /ok/],
    ['renameTag', ['alpha', 'gamma'], /ok/],
    ['deleteTag', ['beta'], /ok/],
    ['getTags', [], /\["gamma","three"\]/],
    ['renderMessageHTML', [id], /<p>Code/],
    ['renderMessageText', [id], /Code 493817/],
    ['deleteMessagesBySearch', [{ query: 'subject:Sent' }], /ok/],
    ['deleteMessages', [{ IDs: [id] }], /ok/],
    ['deleteMessages', [], /ok/],
    ['listMessages', [], /"total":0/],
  ];
  for (const [method, args, expected] of calls) {
    const answer = await client[method]?.(...args);
    assert.match(answer instanceof Blob ? await answer.text() : JSON.stringify(answer), expected, method);
  }
  await send('Without a counterpart');
  const refused: [method: string, args: unknown[], reason: RegExp][] = [
    ['spamAssassinCheck', ['latest'], /SANDPOST_SPAM_URL/],
    ['releaseMessage', ['latest', { To: ['x@example.org'] }], /does not send mail to external addresses/],
    ['getChaosTriggers', [], /POST \/api\/failures/],
    ['setChaosTriggers', [{}], /POST \/api\/failures/],
  ];
  for (const [method, args, reason] of refused)
    await assert.rejects(async () => client[method]?.(...args), reason, method);
  await client.deleteMessages?.();
});

describe('cypress-mailpit of npm', { skip }, () => {
  type Asked = { method: string; url: string; qs?: Record<string, string>; body?: unknown };
  type Command = (...args: unknown[]) => Promise<unknown>;
  const commands: Record<string, Command> = {};

  /** Makes a request as `cy.request` does, which fails for a status above 399. */
  async function request({ method, url: asked, qs = {}, body }: Asked) {
    const address = new URL(asked.replace(/([^:])\/\//, '$1/'));
    for (const [name, value] of Object.entries(qs)) address.searchParams.set(name, value);
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(address, { method, ...(body === undefined ? {} : json) });
    const text = await response.text();
    assert.ok(response.status < 400, `${method} ${address}: ${response.status} ${text}`);
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  }

  before(async () => {
    // Stand-in for Cypress, whose package downloads a program. Promises suffice for these commands' chainables.
    Object.assign(globalThis, {
      cy: {
        request,
        env: async () => ({}),
        wrap: async (value: unknown) => value,
        wait: async () => {},
      },
      Cypress: {
        expose: () => url,
        config: () => 20_000,
        Commands: {
          add(name: string, _options: object, command: Command) {
            commands[name] = command;
          },
        },
      },
    });
    // Cypress's bundler finds files without their name extensions.
    registerHooks({
      resolve: (name, context, next) => next(name.endsWith('MailpitCommands') ? `${name}.js` : name, context),
    });
    await import(new URL('node_modules/cypress-mailpit/dist/index.js', folder).href);
  });

  test('its 26 commands, of which two need a spam filter', async () => {
    const call = async (name: string, ...args: unknown[]) => {
      called.add(name);
      return (await (commands[name] ?? assert.fail(name))(...args)) as Body & Mail;
    };
    const called = new Set<string>();
    await call('mailpitDeleteAllEmails');
    await send('Welcome');
    await call('mailpitSendMail', { subject: 'By the API', to: [{ Email: 'bob@example.org' }] });
    await call('mailpitHasEmailsBySubject', 'Welcome');
    await call('mailpitHasEmailsByTo', 'bob@example.org');
    await call('mailpitHasEmailsBySearch', 'is:unread');
    await call('mailpitNotHasEmailsBySubject', 'nothing');
    await call('mailpitNotHasEmailsByTo', 'nobody@');
    await call('mailpitNotHasEmailsBySearch', 'tag:none');
    for (const [name, value] of [
      ['mailpitGetAllMails', ''],
      ['mailpitSearchEmails', 'Welcome'],
      ['mailpitGetEmailsBySubject', 'Welcome'],
      ['mailpitGetEmailsByTo', 'ada@example.org'],
    ] as const)
      assert.equal((await call(name, ...(value === '' ? [] : [value]))).count, value === '' ? 2 : 1, name);
    const { messages } = (await call('mailpitSearchEmails', 'Welcome')) as unknown as { messages: Mail[] };
    const mail = await call('mailpitGetMail', messages[0]?.ID);
    assert.equal(await call('mailpitGetSubject', mail), 'Welcome');
    assert.equal(await call('mailpitGetFromAddress', mail), 'shop@example.com');
    assert.deepEqual(await call('mailpitGetRecipientAddress', mail), ['ada@example.org']);
    assert.deepEqual(await call('mailpitGetAttachments', mail), ['a.txt']);
    assert.match(String(await call('mailpitGetMailHTMlBody', mail)), /<p>Code/);
    assert.match(String(await call('mailpitGetMailTextBody', mail)), /^Code 493817/);
    await call('mailpitSetStatusAsUnRead', mail);
    await call('mailpitSetStatusAsRead', [mail]);
    await call('mailpitSetAllEmailStatusAsUnRead');
    await call('mailpitSetAllEmailStatusAsRead');
    for (const name of ['mailpitGetMailSpamAssassinSummary', 'mailpitGetMailSpamAssainSummary'])
      await assert.rejects(call(name, mail), /501 No spam filter is configured/);
    await call('mailpitDeleteEmailsBySearch', 'subject:Welcome');
    assert.equal((await call('mailpitGetAllMails')).count, 1);
    assert.deepEqual([...called].sort(), Object.keys(commands).sort());
    assert.equal(called.size, 26);
  });
});
