import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { openHostilePage } from '#test/once/web/support/hostile-page.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { textMail } from '#test/tools/web/hostile/hostile-mail.ts';
import { textVectors } from '#test/tools/web/hostile/text-vectors.ts';
import { attacker } from '#test/tools/web/hostile/vector.ts';

const aMail = 2;
const vectors = Object.entries(textVectors);
const tabs = ['html', 'headers', 'checks', 'source', 'structure', 'transcript', 'text', 'codes'];

const mail = await startMailProgram();

test('no text of a mail is taken for markup, on any tab', async () => {
  const client = await mail.connect();
  await using hostile = await openHostilePage(mail.program, mail.user);
  const { page, deeds } = hostile;
  for (let at = 0; at < vectors.length; at += aMail) {
    const some = vectors.slice(at, at + aMail);
    const name = some[0]?.[0] ?? '';
    const raw = textMail(mail.user.address, some);
    const [id = 0] = mail.idsOf(await client.send('a@example.com', [mail.user.address], raw));
    const before = deeds.length;
    for (const tab of tabs) {
      await hostile.show(id, name, tab);
      if (tab !== 'structure') continue;
      const previews = page.locator('.attachment-acts button');
      for (let index = 0; index < (await previews.count()); index++) await previews.nth(index).click();
      await page.locator('.calendar dd').first().waitFor();
      await page.locator('.preview .source').first().waitFor();
    }
    const own = deeds.splice(before);
    deeds.push(...own.map((deed) => `${name}: ${deed}`));
  }
  await client.quit();
  const network = await hostile.close();
  assert.deepEqual(deeds, []);
  assert.doesNotMatch(network, new RegExp(`"(host|url)":"[^"]*${attacker}`));
});
