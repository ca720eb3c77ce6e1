import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { GreyLines } from './loaded.tsx';

type Seldom = typeof import('../seldom.ts').seldom;

/** Creates a component from `seldom.ts`, whose code the browser loads when a component from it is first drawn. */
export function lazy<P extends object>(partOf: (all: Seldom) => ComponentType<P>): ComponentType<P> {
  return function Lazy(props: P) {
    const [read, setRead] = useState<{ Part?: ComponentType<P>; isGone?: boolean }>({});
    useEffect(() => {
      import('../seldom.ts').then(
        ({ seldom }) => setRead({ Part: partOf(seldom) }),
        () => setRead({ isGone: true }),
      );
    }, []);
    const { Part, isGone } = read;
    if (Part) return <Part {...props} />;
    if (!isGone) return <GreyLines />;
    return (
      <p role="alert">
        This part of the page could not be loaded. Sandpost may have been upgraded.{' '}
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </p>
    );
  };
}
