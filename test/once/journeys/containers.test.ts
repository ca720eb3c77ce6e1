import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { programVersion } from '#telemetry/program-version.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { mailpitClient } from '#test/support/clients/mailpit.ts';
import { type Process, startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { transmit } from '#test/support/program/program-mail.ts';
import { ok } from '#test/support/program/user.ts';

const page = readFileSync('docs/containers.md', 'utf8');
const all = [...page.matchAll(/^```\w+ (\w+)\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => ({
  name,
  text,
}));

const recipes = all.filter(({ name }) => name !== 'mailpit');

/** Returns a recipe's settings. A constant that it names stands for its value. */
function settingsOf(text: string): Record<string, string> {
  const constants = Object.fromEntries(
    [...text.matchAll(/\b(\w+) = ["'](\w[^"']*)["']/g)].map(([, name, value]) => [name, value ?? '']),
  );
  return Object.fromEntries(
    [...text.matchAll(/(SANDPOST_[A-Z_]+)["']?[:,]\s+["']?([\w@.:/-]+)/g)].map(
      ([, name = '', value = '']) => [name, constants[value] ?? value],
    ),
  );
}

test('there is a recipe of at most 30 lines for each place that runs containers', () => {
  const names = ['javascript', 'python', 'java', 'go', 'github', 'gitlab', 'compose'];
  assert.deepEqual(
    recipes.map(({ name }) => name),
    names,
  );
  for (const { name, text } of recipes) assert.ok(text.split('\n').length <= 31, name);
});

test('recipes name the image of this version', () => {
  const images = [...page.matchAll(/registry\.example\.com\/sandpost(?:-mailpit)?:([\w.-]+)/g)];
  assert.equal(images.length, 11);
  for (const [image, version] of images) assert.equal(version, programVersion, image);
});

/** Programs by their settings: most recipes have the same. */
const programs = new Map<string, Process>();
after(() => Promise.all([...programs.values()].map((program) => program.stop())));

async function programWith(settings: Record<string, string>): Promise<Process> {
  const key = JSON.stringify(settings);
  const program =
    programs.get(key) ??
    (await startProcess('start', { ...settings, SANDPOST_DATA_DIR: await temporaryDir() }));
  programs.set(key, program);
  return program;
}

for (const { name, text } of recipes) {
  test(`the settings of the recipe for ${name} are all that it takes to send and read a mail`, async () => {
    const settings = settingsOf(text);
    assert.match(text, /8080[\s\S]*2525/);
    assert.match(text, /\/readyz/);
    const { http, smtp } = (await programWith(settings)).ports;
    const place = { baseUrl: `http://127.0.0.1:${http}`, httpPort: http };
    assert.equal((await new HttpClient(place).get('/readyz')).status, 200);
    const subject = `Welcome from ${name}`;
    await transmit({ smtpPort: smtp }, { to: 'alice@gmail.com', subject });
    const api = new HttpClient(place, { 'x-api-key': settings.SANDPOST_BOOTSTRAP_API_KEY ?? '' });
    const { items } = await ok(api.get('/api/messages?address=alice@gmail.com&wait=30'));
    assert.equal(items[0].subject, subject);
  });
}

test('the settings of a service of Mailpit are all that it takes in its place', async (t) => {
  const { text = '' } = all.find(({ name }) => name === 'mailpit') ?? {};
  const given = Object.fromEntries(
    [...text.matchAll(/(MP_\w+): (\S+)/g)].map(([, name = '', value]) => [name, value ?? '']),
  );
  assert.match(text, /8025:8025.*1025:1025/);
  const docker = readFileSync('Dockerfile.mailpit', 'utf8');
  for (const fact of ['EXPOSE 1025 8025', 'ENTRYPOINT ["/mailpit"]', 'ln -s /app/bin/sandpost /mailpit'])
    assert.ok(docker.includes(fact), fact);
  const folder = await temporaryDir();
  const settings = { ...given, MP_DATABASE: `${folder}/mailpit.db`, MP_UI_BIND_ADDR: '127.0.0.1:0' };
  const program = await startProcess('mailpit', { ...settings, MP_SMTP_BIND_ADDR: '127.0.0.1:0' });
  t.after(() => program.stop());
  const { http, smtp } = program.ports;
  const ask = mailpitClient(
    { baseUrl: `http://127.0.0.1:${http}`, httpPort: http },
    { host: 'mailpit:8025' },
  );
  assert.equal((await ask('GET', '/readyz')).status, 200);
  await transmit({ smtpPort: smtp }, { to: 'alice@gmail.com', subject: 'Welcome' });
  assert.equal((await ask('GET', '/api/v1/message/latest')).json.Subject, 'Welcome');
});
