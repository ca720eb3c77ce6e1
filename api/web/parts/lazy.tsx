import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure, GreyLines } from './loaded.tsx';

type Seldom = typeof import('../seldom.ts').seldom;

/** Makes a component of one of `seldom.ts`, whose code the browser reads when it is first drawn. */
export function lazy<P extends object>(partOf: (all: Seldom) => ComponentType<P>): ComponentType<P> {
  return function Lazy(props: P) {
    const [read, setRead] = useState<{ Part?: ComponentType<P>; error?: unknown }>({});
    useEffect(() => {
      import('../seldom.ts').then(
        ({ seldom }) => setRead({ Part: partOf(seldom) }),
        (error) => setRead({ error }),
      );
    }, []);
    const { Part, error } = read;
    return Part ? <Part {...props} /> : error === undefined ? <GreyLines /> : <Failure error={error} />;
  };
}
