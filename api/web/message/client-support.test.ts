import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientName, worstFirst } from './client-support.ts';

const names: Record<string, string> = {
  'outlook.windows': 'Outlook Windows',
  'outlook.windows-mail': 'Windows Mail',
  'outlook.outlook-com': 'Outlook.com',
  'apple-mail.ios': 'Apple Mail iOS',
  'gmail.desktop-webmail': 'Gmail web',
  'new-client.some-thing': 'New Client Some Thing',
};
for (const [client, name] of Object.entries(names)) {
  test(`${client} is called ${name}`, () => assert.equal(clientName(client), name));
}

test('clients that miss most come first, then those that show most in part', () => {
  const client = (name: string, ...support: ('no' | 'partial' | 'yes')[]) => ({
    client: name,
    support: support[0] ?? 'yes',
    features: support.map((one) => {
      return { slug: '', title: '', url: '', support: one, count: 1, line: 1, notes: [] };
    }),
  });
  const clients = [
    client('b', 'yes'),
    client('a', 'yes'),
    client('c', 'partial', 'partial'),
    client('d', 'no'),
    client('e', 'no', 'partial'),
  ];
  assert.equal(
    worstFirst(clients)
      .map((one) => one.client)
      .join(''),
    'edcab',
  );
});
