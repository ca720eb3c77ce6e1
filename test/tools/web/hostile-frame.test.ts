import assert from 'node:assert/strict';
import { frameDocument, frameSandbox } from '#api/frame-document.ts';
import { test } from '#test/once/web/support/browser.ts';
import { openHostilePage } from '#test/once/web/support/hostile-page.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser } from '#test/support/program/user.ts';
import { htmlVectors } from '#test/tools/web/hostile/html-vectors.ts';
import { markupVectors } from '#test/tools/web/hostile/markup-vectors.ts';
import { armed, attacker, mark } from '#test/tools/web/hostile/vector.ts';

const vectors = Object.entries({ ...htmlVectors, ...markupVectors });

test('the frame and its policy suffice if the sanitiser fails', async () => {
  const program = await programOfAll();
  await using hostile = await openHostilePage(program, await createUser(program));
  const documents = vectors.map(([name, vector]) => frameDocument(armed(name, vector), false));
  const show = ([documents, sandbox]: readonly [string[], string]) =>
    Promise.all(
      documents.map((srcdoc) => {
        const frame = document.createElement('iframe');
        frame.setAttribute('sandbox', sandbox);
        frame.referrerPolicy = 'no-referrer';
        frame.srcdoc = srcdoc;
        document.body.append(frame);
        return new Promise((resolve) => frame.addEventListener('load', resolve));
      }),
    );
  await hostile.page.evaluate(show, [documents, frameSandbox] as const);
  const network = await hostile.close();
  // The console shows refusals. A script that ran leaves its mark only there.
  assert.ok(hostile.deeds.some((deed) => deed.startsWith('console: Blocked script execution')));
  const ran = new RegExp(`^console: /${mark}:|^(dialog|page|download): `);
  const unexpected = hostile.deeds.filter((deed) => ran.test(deed));
  assert.deepEqual(unexpected, []);
  // Chromium looks up a frame's host before it checks the policy. Only the sanitizer prevents that lookup.
  const hosts = new Set(network.match(new RegExp(`[\\w.-]*${attacker}`, 'g')));
  hosts.delete(`iframe-remote.${attacker}`);
  assert.deepEqual([...hosts], []);
});
