import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { openHostilePage } from '#test/once/web/support/hostile-page.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { htmlMail } from '#test/tools/web/hostile/hostile-mail.ts';
import { htmlVectors } from '#test/tools/web/hostile/html-vectors.ts';
import { markupVectors } from '#test/tools/web/hostile/markup-vectors.ts';
import { attacker } from '#test/tools/web/hostile/vector.ts';

/** Vectors per email. Tags between them close whatever the previous vector left open. */
const aMail = 4;
const vectors = Object.entries({ ...htmlVectors, ...markupVectors });

const mail = await startMailProgram();

test('no vector in HTML runs, sends a request, leads elsewhere or covers a part of the page', async () => {
  assert.ok(vectors.length >= 100, String(vectors.length));
  const client = await mail.connect();
  await using hostile = await openHostilePage(mail.program, mail.user);
  for (let at = 0; at < vectors.length; at += aMail) {
    const some = vectors.slice(at, at + aMail);
    const subject = `From ${some[0]?.[0]}`;
    const reply = await client.send('a@example.com', [mail.user.address], htmlMail(subject, some));
    const [id = 0] = mail.idsOf(reply);
    const before = hostile.deeds.length;
    await hostile.show(id, subject, 'html');
    const deeds = hostile.deeds.splice(before);
    hostile.deeds.push(...deeds.map((deed) => `${subject}: ${deed}`));
  }
  await client.quit();
  const network = await hostile.close();
  assert.deepEqual(hostile.deeds, []);
  assert.ok(network.includes(`127.0.0.1:${mail.program.httpPort}`), 'the log of the network is there');
  assert.deepEqual(network.match(new RegExp(`[\\w.-]*${attacker}`, 'g')) ?? [], []);
});
