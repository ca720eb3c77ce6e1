import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { freePort } from '#test/support/runner/free-port.ts';
import { until } from '#test/support/runner/until.ts';

test('npm run dev serves the page from its sources and the API behind it', async (t) => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sandpost-dev-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const [httpPort, smtpPort, opsPort] = [await freePort(), await freePort(), await freePort()];
  const dev = spawn(process.execPath, ['api/web/dev.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      SANDPOST_DATA_DIR: dataDir,
      SANDPOST_HTTP_PORT: String(httpPort),
      SANDPOST_SMTP_PORT: String(smtpPort),
      SANDPOST_OPS_PORT: String(opsPort),
    },
  });
  const ended = once(dev, 'exit');
  t.after(async () => {
    dev.kill('SIGTERM');
    await ended;
  });
  let output = '';
  dev.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await until(() => output.includes('Ready after') || dev.exitCode !== null, 300_000);

  const page = /page {2}(http:\/\/\S+)/.exec(output)?.[1];
  assert.ok(page, output);
  const answer = await fetch(`${page}/mail`, { headers: { accept: 'text/html' } });
  assert.match(await answer.text(), /<script type="module" src="\/main\.tsx">/);
  const health = await fetch(`${page}/api/health`);
  assert.deepEqual(await health.json(), { status: 'ok' });
});
