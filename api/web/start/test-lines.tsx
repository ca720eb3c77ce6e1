import { useSignal } from '@preact/signals';
import { ownAddress } from '../base-path.ts';
import type { Account } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Segments } from '../parts/field.tsx';
import { SnippetBox } from './snippet-box.tsx';
import { testSnippets } from './test-snippets.ts';

/** Test to copy that makes an address, waits for a mail to it and reads its code. */
export function TestLines({ account }: { account: Account }) {
  const { server } = usePage();
  const tool = useSignal('Playwright');
  const isLocal = server.value?.is_local ?? false;
  const [, host = ''] = account.address.split('@');
  // The clients find a capture account themselves.
  const domain = account.is_catch_all ? host : null;
  const all = testSnippets({ origin: ownAddress(), domain, needsKey: !isLocal });
  const shown = all.find(({ name }) => name === tool.value);
  return (
    <section class="test-lines" aria-labelledby="test-lines-title">
      <h2 id="test-lines-title">In a test</h2>
      <p class="muted">{noteOf(account, isLocal)}</p>
      <Segments label="Test with" choices={all.map(({ name }) => [name, name] as const)} chosen={tool} />
      {shown && (
        <>
          <SnippetBox snippet={shown.install} />
          <SnippetBox snippet={shown.test} />
        </>
      )}
    </section>
  );
}

function noteOf({ is_catch_all, is_capture }: Account, isLocal: boolean): string {
  const own = 'Each test has an address of its own, so that any number run side by side.';
  if (isLocal) return own;
  if (is_catch_all) return `${own} API_KEY stands for one of your keys.`;
  if (is_capture) return `${own} The application signs in, as above. API_KEY stands for one of your keys.`;
  return `${own} Such addresses need an account that takes mail for any address: a catch-all, or one that captures.`;
}
