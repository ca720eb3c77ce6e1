import './grey-lines.css';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../client/client.ts';
import { usePage } from '../page.ts';
import { Refusal } from './field.tsx';

/** Result of a read, or its error. Neither is set before the read has ended. `again` reads again. */
export type Loaded<T> = { value?: T; error?: unknown; again?: (() => void) | undefined };

/** Returns the result of `load`. Aborts the previous load and loads again if one of `inputs` changes. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: unknown[]) {
  const [loaded, setLoaded] = useState<Loaded<T>>({});
  const [times, setTimes] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setLoaded({});
    load(abort.signal).then(
      (value) => abort.signal.aborted || setLoaded({ value }),
      (error) => abort.signal.aborted || setLoaded({ error }),
    );
    return () => abort.abort();
  }, [...inputs, times]);
  return { ...loaded, again: () => setTimes((before) => before + 1) };
}

/** Reads an API path, and reads it again if the path changes. */
export function useRead<T>(path: string) {
  const { request } = usePage();
  return useLoaded((signal) => request<T>('GET', path, undefined, { signal }), [path]);
}

type Props<T> = {
  of: Loaded<T>;
  /** Shown while the value is loading. */
  wait?: JSX.Element;
  children(value: T): JSX.Element;
};

/** Draws a loaded value, or the error. */
export function Reading<T>({ of: { value, error, again }, wait, children }: Props<T>) {
  if (error !== undefined) return <Failure error={error} again={again} />;
  return value === undefined ? (wait ?? null) : children(value);
}

/** Error in the API's own words, and a button that tries `again`. */
export const Failure = ({ error, again }: Pick<Loaded<unknown>, 'error' | 'again'>) => (
  <Refusal text={messageOf(error)} look="message-failure" again={again} />
);

/** Gray lines in place of a loading text. They stay hidden for 150 ms, because most responses arrive sooner. */
export const GreyLines = () => (
  <div class="grey-lines" aria-hidden="true">
    {[60, 25, 40, 100, 95, 70].map((width) => (
      <span key={width} style={{ width: `${width}%` }} />
    ))}
  </div>
);
