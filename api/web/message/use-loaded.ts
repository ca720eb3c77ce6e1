import { useEffect, useState } from 'preact/hooks';

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
