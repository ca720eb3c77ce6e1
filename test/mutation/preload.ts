import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { plan } from './switches.ts';

/** Preloaded into each thread of a process that runs tests. Loads the changed sources, and the collector for node:test. */
const thread = new URL('process-thread.ts', import.meta.url).href;
const process = new URL('../support/program/process.ts', import.meta.url).href;
const collector = new URL('collector.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'node:test' && context.parentURL !== collector)
      return { url: collector, format: 'module-typescript', shortCircuit: true };
    const resolved = next(specifier, context);
    return resolved.url === process && context.parentURL !== thread ? { ...resolved, url: thread } : resolved;
  },
  load(url, context, next) {
    const changed = plan.sources[url];
    if (changed === undefined) return next(url, context);
    return { format: 'module-typescript', source: readFileSync(changed), shortCircuit: true };
  },
});
