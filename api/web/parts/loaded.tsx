import './grey-lines.css';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../client/client.ts';
import { usePage } from '../page.ts';

/** Result of a read, or its error. Neither is set before the read has ended. */
export type Loaded<T> = { value?: T; error?: unknown };

/** Returns the result of `load`. Aborts the previous load and loads again if one of `inputs` changes. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: unknown[]): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({});
  useEffect(() => {
    const abort = new AbortController();
    setLoaded({});
    load(abort.signal).then(
      (value) => abort.signal.aborted || setLoaded({ value }),
      (error) => abort.signal.aborted || setLoaded({ error }),
    );
    return () => abort.abort();
  }, inputs);
  return loaded;
}

/** Reads an API path, and reads it again if the path or `again` changes. */
export function useRead<T>(path: string, again?: unknown): Loaded<T> {
  const { request } = usePage();
  return useLoaded((signal) => request<T>('GET', path, undefined, { signal }), [path, again]);
}

type Props<T> = {
  of: Loaded<T>;
  /** Shown while the value is loading. */
  wait?: JSX.Element;
  children(value: T): JSX.Element;
};

/** Draws a loaded value, or the error. */
export function Reading<T>({ of: { value, error }, wait, children }: Props<T>) {
  if (error !== undefined) return <Failure error={error} />;
  return value === undefined ? (wait ?? null) : children(value);
}

/** Error in the API's own words. */
export function Failure({ error }: { error: unknown }) {
  return (
    <p class="message-failure" role="alert">
      {error instanceof ApiError ? error.problem.detail : String(error)}
    </p>
  );
}

/** Gray lines in place of a loading text. They stay hidden for 150 ms, because most responses arrive sooner. */
export const GreyLines = () => (
  <div class="grey-lines" aria-hidden="true">
    {[60, 25, 40, 100, 95, 70].map((width) => (
      <span key={width} style={{ width: `${width}%` }} />
    ))}
  </div>
);
