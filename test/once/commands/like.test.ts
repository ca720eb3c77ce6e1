import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '#test/support/program/command.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { outputOf } from '#test/support/program/program-output.ts';

test('dev --like mailpit listens on its ports, which options replace', async () => {
  const settings = { SANDPOST_DATA_DIR: await temporaryDir(), SANDPOST_LOG_LEVEL: 'info' };
  const heard = (output: string, what: string, port: number) =>
    output.includes(`"what":"${what}","host":"127.0.0.1","port":${port}`);
  for (const [args, smtp, http] of [
    [['--like', 'mailpit'], 1025, 8025],
    [['--like', 'maildev', '--smtp-port', '1026'], 1026, 1080],
  ] as const) {
    const isReady = (output: string) => heard(output, 'smtp', smtp) && heard(output, 'http', http);
    const { output } = await outputOf(['dev', ...args], settings, isReady);
    assert.ok(isReady(output), output);
  }
});

test('--like names a server that is known, and belongs to dev', async () => {
  for (const [args, line] of [
    [['dev', '--like', 'gmail'], /--like must be one of: mailpit, maildev/],
    [['dev', '--like', '__proto__'], /--like must be one of: mailpit, maildev/],
    [['start', '--like', 'mailpit'], /--like is an option of sandpost dev/],
  ] as const) {
    const { code, err } = await runCommand([...args], {});
    assert.equal(code, 2);
    assert.match(err, line);
  }
});
