import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

/** Removable features: their files, and the maximum lines of TypeScript without tests. */
const features: Record<string, { files: string[]; most: number }> = {
  'share links': {
    files: [
      'core/shares/*.ts',
      'api/nouns/shares.ts',
      'api/shares/*.ts',
      'api/web/shares/*.{ts,tsx}',
      'commands/share.ts',
    ],
    most: 760,
  },
  traces: { files: ['core/messages/trace-context.ts'], most: 40 },
  spans: { files: ['adapters/spans/*.ts'], most: 300 },
  Inbox: { files: ['operator/inbox/*.ts', 'operator/previews.ts'], most: 450 },
  senders: {
    files: [
      'core/messages/sender.ts',
      'core/delivery/with-senders.ts',
      'operator/{keep-senders,sender-table}.ts',
      'adapters/{local,redis}/senders.ts',
    ],
    most: 330,
  },
  MailExpectation: { files: ['operator/mail-expectation/*.ts'], most: 550 },
  'shared by the catchers': { files: ['api/catchers/*.ts'], most: 352 },
  release: { files: ['release/*.ts'], most: 700 },
  mailpit: { files: ['api/mailpit/*.ts'], most: 776 },
  'socket of mailpit': { files: ['api/mailpit-events/*.ts'], most: 198 },
  mailhog: { files: ['api/mailhog/*.ts'], most: 150 },
  maildev: { files: ['api/maildev/*.ts'], most: 150 },
};

for (const [name, { files, most }] of Object.entries(features))
  test(`${name}: at most ${most} lines`, () => {
    const own = globSync(files).filter((file) => !file.includes('.test.'));
    const lines = own.reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0);
    assert.ok(lines > 0 && lines <= most, `${lines} lines`);
  });
