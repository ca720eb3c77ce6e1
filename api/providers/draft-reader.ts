import { parseJson } from '#api/middleware/json-object.ts';
import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { readForm } from './form.ts';
import { providers } from './index.ts';
import { JsonValue } from './json-value.ts';
import type { Drafted } from './provider.ts';

/** Request without its body, for the thread that reads it. `operation`: the `operationId`. */
export type GivenRequest = { operation: string; contentType: string; params: Record<string, string> };

/** Reads the mails of a request to a provider. It and what it returns throw Malformed and Invalid. */
export async function readDrafts(
  bytes: Uint8Array<ArrayBuffer>,
  { operation, contentType, params }: GivenRequest,
): Promise<Iterable<Drafted>> {
  const found = providers
    .flatMap(({ operations }) => operations)
    .find(({ operationId }) => operationId === operation);
  if (found === undefined) throw new Error(`no provider has ${operation}`);
  const read =
    found.body === 'json'
      ? found.read(new JsonValue(parseJson(bytes)), params)
      : found.read(await readForm(bytes, contentType), params);
  return bounded(read);
}

/** Counts mails as they are composed, one after the other, so that the bound on their bytes holds before all are read. */
function* bounded(drafts: Iterable<Drafted>): Generator<Drafted> {
  const most = limits.submissions.mails;
  let count = 0;
  for (const draft of drafts) {
    count += 1;
    if (count > most) throw invalid('body', `may have at most ${most} items`, 'submissions.mails');
    yield draft;
  }
}
