import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { programVersion } from '#telemetry/program-version.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { transmit } from '#test/support/program/program-mail.ts';
import { ok } from '#test/support/program/user.ts';

const page = readFileSync('docs/containers.md', 'utf8');
const recipes = [...page.matchAll(/^```\w+ (\w+)\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => ({
  name,
  text,
}));

/** Returns the settings of a recipe. A constant that it names stands for its value. */
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
  const images = [...page.matchAll(/registry\.example\.com\/sandpost:([\w.-]+)/g)];
  assert.equal(images.length, 8);
  for (const [image, version] of images) assert.equal(version, programVersion, image);
});

for (const { name, text } of recipes) {
  test(`the settings of the recipe for ${name} are all that it takes to send and read a mail`, async (t) => {
    const settings = settingsOf(text);
    assert.match(text, /8080[\s\S]*2525/);
    assert.match(text, /\/readyz/);
    const program = await startProcess('start', { ...settings, SANDPOST_DATA_DIR: await temporaryDir() });
    t.after(() => program.stop());
    const { http, smtp } = program.ports;
    const place = { baseUrl: `http://127.0.0.1:${http}`, httpPort: http };
    assert.equal((await new HttpClient(place).get('/readyz')).status, 200);
    const subject = `Welcome from ${name}`;
    await transmit({ smtpPort: smtp }, { to: 'alice@gmail.com', subject });
    const api = new HttpClient(place, { 'x-api-key': settings.SANDPOST_BOOTSTRAP_API_KEY ?? '' });
    const { items } = await ok(api.get('/api/messages?address=alice@gmail.com&wait=30'));
    assert.equal(items[0].subject, subject);
  });
}
