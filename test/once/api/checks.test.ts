import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const { program, user } = await scene();

const checksOf = (id: number, query = '') => ok(user.api.get(`/api/messages/${id}/checks${query}`));

type Check = { id: string; title: string; detail: string };

test('a newsletter is judged in each client, by the newest data', async () => {
  const html = `<!doctype html>
<html lang="en"><body>
<div style="display:flex"><table><tr><td>Hello</td></tr></table>
<div style="display:flex">again</div></div></body></html>`;
  const id = await deliverOne(program, { to: user.address, text: 'Hello again', html });
  const checks = await checksOf(id);
  assert.match(checks.data_date, /^\d{4}-\d{2}-\d{2}$/);
  assert.ok(checks.clients.length > 40);
  const clientOf = (name: string) => checks.clients.find(({ client }: { client: string }) => client === name);
  const windows = clientOf('outlook.windows');
  assert.equal(windows.support, 'no');
  const [flex] = windows.features.filter(({ slug }: { slug: string }) => slug === 'css-display-flex');
  assert.deepEqual(
    { ...flex, notes: [] },
    {
      slug: 'css-display-flex',
      title: 'display:flex',
      url: 'https://www.caniemail.com/features/css-display-flex/',
      support: 'no',
      count: 2,
      line: 3,
      notes: [],
    },
  );
  assert.equal(clientOf('apple-mail.ios').support, 'yes');
  const full = checks.clients.filter(({ support }: { support: string }) => support === 'yes').length;
  assert.deepEqual(checks.complete, { clients: full, of: checks.clients.length });
  assert.ok(full > 0 && full < checks.clients.length);
  assert.ok(checks.score > 80 && checks.score < 100, `${checks.score}`);
  assert.deepEqual(checks.size, { html_bytes: Buffer.byteLength(html), clipped: false });
  assert.equal(checks.spam, null);
  const all: Check[] = Object.values<Check[]>(checks.findings).flat();
  assert.ok(all.every(({ title, detail }) => title !== '' && detail !== ''));
  assert.ok(checks.findings.passed.some((check: Check) => check.id === 'html-lang'));
});

test('clients are chosen by family or name, and an unknown one is refused with those that are known', async () => {
  const id = await deliverOne(program, { to: user.address, html: '<p style="display:flex">a</p>' });
  const names = async (clients: string) =>
    (await checksOf(id, `?clients=${clients}`)).clients.map(({ client }: { client: string }) => client);
  assert.deepEqual(await names('gmail'), [
    'gmail.android',
    'gmail.desktop-webmail',
    'gmail.ios',
    'gmail.mobile-webmail',
  ]);
  assert.deepEqual(await names('Outlook.windows,%20gmail.ios'), ['gmail.ios', 'outlook.windows']);
  assert.equal((await names('')).length, (await checksOf(id)).clients.length);
  // It supports `p` and lacks `display:flex`.
  assert.equal((await checksOf(id, '?clients=outlook.windows')).score, 50);
  for (const clients of ['gmial', 'gmail,', `gmail.ios.${'x'.repeat(1000)}`, 'x'.repeat(3000)]) {
    const refused = await user.api.get(`/api/messages/${id}/checks?clients=${clients}`);
    assert.equal(refused.status, 422);
    assert.equal(refused.json.violations[0].field, 'clients');
  }
  const refused = await user.api.get(`/api/messages/${id}/checks?clients=gmial`);
  assert.match(refused.json.violations[0].message, /gmail, .*gmail\.ios/);
});

test('a team chooses its clients once, and each check of its messages is about them', async () => {
  const lead = await createUser(program);
  const settings = `/api/teams/${lead.id}`;
  const id = await deliverOne(program, { to: lead.address, html: '<p style="display:flex">a</p>' });
  const path = `/api/messages/${id}/checks`;
  const all = await ok(lead.api.get(path));
  assert.ok(['gmail', 'apple-mail', 'outlook'].every((family) => all.families.includes(family)));
  const chosen = ['gmail.ios', 'outlook.windows'];
  assert.deepEqual((await ok(lead.api.patch(settings, { clients: chosen }))).clients, chosen);
  const own = await ok(lead.api.get(path));
  assert.deepEqual(
    own.clients.map(({ client }: { client: string }) => client),
    chosen,
  );
  assert.deepEqual([own.families, own.complete.of], [all.families, 2]);
  assert.equal((await ok(lead.api.get(`${path}?clients=yahoo.ios`))).clients.length, 1);
  assert.equal(
    (await checksOf(await deliverOne(program, { to: user.address }))).complete.of,
    all.complete.of,
  );
  for (const clients of [['gmial'], [], 'gmail', [7], Array.from({ length: 101 }, (_, n) => `a${n}`)]) {
    const refused = await lead.api.patch(settings, { clients });
    assert.equal(refused.status, 422);
    assert.equal(refused.json.violations[0].field.split('.')[0], 'clients');
  }
  await ok(lead.api.patch(settings, { name: 'renamed' }));
  assert.equal((await ok(lead.api.get(path))).complete.of, 2);
  await ok(lead.api.patch(settings, { clients: null }));
  assert.deepEqual(await ok(lead.api.get(path)), all);
});

test('a mail without HTML is shown by each client', async () => {
  const id = await deliverOne(program, { to: user.address, subject: 'Hi {{name}}' });
  const checks = await checksOf(id);
  assert.equal(checks.score, 100);
  assert.ok(checks.clients.every(({ features }: { features: unknown[] }) => features.length === 0));
  assert.deepEqual(checks.size, { html_bytes: 0, clipped: false });
  assert.ok(checks.findings.warning.some((check: Check) => check.id === 'template-variables'));
});

test('Gmail clips a mail of more than 102 KiB', async () => {
  const html = `<p>${'€'.repeat(35_000)}</p>`;
  const id = await deliverOne(program, { to: user.address, html });
  const { size, findings } = await checksOf(id);
  assert.deepEqual(size, { html_bytes: 105_007, clipped: true });
  assert.ok(findings.warning.some((check: Check) => check.id === 'clipping'));
});

test('an unchanged answer is not sent again', async () => {
  const id = await deliverOne(program, { to: user.address, html: '<p>a</p>' });
  const path = `/api/messages/${id}/checks`;
  const { etag = '' } = (await user.api.get(path)).headers;
  const again = await user.api.get(path, { headers: { 'if-none-match': etag } });
  assert.equal(again.status, 304);
  assert.equal((await user.api.get(`${path}?client=gmail`)).status, 422);
});
