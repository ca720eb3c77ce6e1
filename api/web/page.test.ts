import assert from 'node:assert/strict';
import { test } from 'node:test';

test('the state of the page begins with createPage, and nothing of it at import', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  // A process has no location, document, window or storage. Using them at import would throw.
  const { createPage } = await import('./page.ts');
  assert.equal(timers(), before);
  assert.throws(() => createPage(), /location/);
});
