import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure, GreyLines } from './loaded.tsx';

/** Makes a component whose code the browser reads when it is first drawn. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return function Lazy(props: P) {
    const [read, setRead] = useState<{ Part?: ComponentType<P>; error?: unknown }>({});
    useEffect(() => {
      load().then(
        (Part) => setRead({ Part }),
        (error) => setRead({ error }),
      );
    }, []);
    const { Part, error } = read;
    return Part ? <Part {...props} /> : error === undefined ? <GreyLines /> : <Failure error={error} />;
  };
}
