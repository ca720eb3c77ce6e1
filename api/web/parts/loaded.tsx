import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../client/client.ts';

/** Result of a reading, or its error. Null until then. */
export type Loaded<T> = { value: T } | { error: unknown } | null;

/** Returns the result of `load`, null until then. Loads again and aborts the former load if one of `inputs` changes. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: unknown[]): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>(null);
  useEffect(() => {
    const abort = new AbortController();
    setLoaded(null);
    load(abort.signal).then(
      (value) => abort.signal.aborted || setLoaded({ value }),
      (error) => abort.signal.aborted || setLoaded({ error }),
    );
    return () => abort.abort();
  }, inputs);
  return loaded;
}

type Props<T> = {
  load(signal: AbortSignal): Promise<T>;
  inputs: unknown[];
  /** Shown while the value is read. */
  wait?: JSX.Element;
  children(value: T): JSX.Element;
};

/** Reads a value and draws it, as `useLoaded` does, or the error. */
export function Reading<T>({ load, inputs, wait, children }: Props<T>) {
  const loaded = useLoaded(load, inputs);
  if (loaded === null) return wait ?? null;
  return 'error' in loaded ? <Failure error={loaded.error} /> : children(loaded.value);
}

/** Error in the API's own words. */
export function Failure({ error }: { error: unknown }) {
  return (
    <p class="message-failure" role="alert">
      {error instanceof ApiError ? error.problem.detail : String(error)}
    </p>
  );
}
