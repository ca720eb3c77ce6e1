import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import type { Log } from '#telemetry/log.ts';
import {
  type Definition,
  fieldsOf,
  fieldsOfVersion,
  type Gap,
  gapOf,
  isBehind,
  mayReplace,
  type Schema,
} from './definition.ts';
import { apiGroup, nameOfDefinition } from './group.ts';
import { type ApiClient, merging } from './runtime/api-client.ts';
import { isRefusedOrGone, sentenceOf, statusCodeOf } from './runtime/api-errors.ts';
import { pause } from './runtime/backoff.ts';

/** Ends the reconciliation of a resource whose definition has just been replaced by a newer one. */
export class DefinitionReplaced extends Error {
  override name = 'DefinitionReplaced';
}

type Ports = {
  client: Pick<ApiClient, 'custom' | 'get'>;
  /** Ends a wait in `isTerminating`. */
  stopping: AbortSignal;
  /** Plural of each kind, by kind name. */
  plurals: ReadonlyMap<string, string>;
  log: Pick<Log, 'info' | 'warn'>;
};

/** Interval in ms between checks of definitions. It limits how long a definition from an earlier release stays. */
const lookMs = 2000;
/** Interval in ms between checks if the operator may not read definitions and so cannot replace them. */
const lookAtPublishedMs = 10_000;
/** Interval in ms between attempts to replace a definition, after the API server has refused one attempt. */
const refusedMs = 60_000;
/** Time in ms after which the API server's discovery is certain to show that a definition is being deleted. */
const discoveryMs = 1000;
const { group, version, fieldManager } = apiGroup;
const crds = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };

/** Kinds' definitions (CRDs), as the API server has them. */
export type Definitions = ReturnType<typeof createDefinitions>;

export function createDefinitions({ client, stopping, plurals, log }: Ports) {
  const { custom } = client;
  const own = new Map([...plurals].map(([kind, plural]) => [kind, readOwn(plural)]));
  let mayTryAt = 0;
  let mayRead = true;

  /**
   * Compares a kind's definition with the operator's own. Throws DefinitionReplaced if it has replaced an older definition, because
   * copies of resources may lack fields that the API server now has.
   */
  const compare = async (kind: string): Promise<Gap> => {
    const mine = own.get(kind);
    const ours = mine && fieldsOfVersion(mine, version);
    if (mine === undefined || !ours) throw new Error(`the kind ${kind} has no definition`);
    const { name } = mine.metadata;
    let served: Definition;
    try {
      served = await custom.getClusterCustomObject({ ...crds, name });
    } catch (error) {
      // The resources disappear with their definition.
      if (statusCodeOf(error) === 404) return gapOf(ours, ours);
      if (statusCodeOf(error) !== 403) throw error;
      mayRead = false;
      const schema = await publishedSchema(client, kind);
      return gapOf(ours, schema === null ? ours : fieldsOf(schema));
    }
    mayRead = true;
    const theirs = fieldsOfVersion(served, version);
    if (theirs === null || served.metadata.deletionTimestamp !== undefined) return gapOf(ours, ours);
    const gap = gapOf(ours, theirs);
    if (!isBehind(gap)) return gap;
    if (performance.now() < mayTryAt || !mayReplace(mine, served)) return gap;
    if (!(await replace(mine, served))) return gap;
    throw new DefinitionReplaced(`replaced the definition ${name}, which was older than this operator`);
  };

  /** Replaces an older definition. Returns false if the operator has no permission to do so. */
  const replace = async (mine: Definition, served: Definition) => {
    const { name, resourceVersion } = served.metadata;
    const patch = (body: object): Promise<Definition> =>
      custom.patchClusterCustomObject({ ...crds, name, body, fieldManager }, merging);
    try {
      const { metadata } = await patch({ metadata: { resourceVersion }, spec: mine.spec });
      log.warn({ event: 'definition.replaced', name }, 'replaced a definition from an earlier release');
      // Server-side apply, which installs the definitions, must not find another owner of their fields.
      const others = metadata.managedFields?.filter(({ manager }) => manager !== fieldManager) ?? [];
      const managedFields = others.length > 0 ? others : [{}];
      await patch({ metadata: { resourceVersion: metadata.resourceVersion, managedFields } });
      return true;
    } catch (error) {
      // Somebody has changed the definition since it was read.
      if (statusCodeOf(error) === 409) return true;
      if (!isRefusedOrGone(error)) throw error;
      mayTryAt = performance.now() + refusedMs;
      log.warn(
        { event: 'definition.outdated', name, why: sentenceOf(error) },
        'could not replace a definition that is older than this operator',
      );
      return false;
    }
  };

  const read = sharedBy(compare);
  return {
    /** Compares definitions. The read that it uses begins after the call. */
    read,
    /**
     * Returns true if a kind's definition, named by its plural, is being deleted, which also deletes all resources of the kind. An
     * operator that may not read definitions uses discovery, where such a kind no longer has the verb `create`.
     */
    async isTerminating(plural: string): Promise<boolean> {
      try {
        const { metadata } = await custom.getClusterCustomObject({ ...crds, name: nameOfDefinition(plural) });
        return metadata.deletionTimestamp !== undefined;
      } catch (error) {
        if (statusCodeOf(error) === 404) return true;
        if (statusCodeOf(error) !== 403) throw error;
      }
      await pause(discoveryMs, stopping);
      const { resources } = await custom.getAPIResources({ group, version });
      return !resources.some(({ name, verbs }) => name === plural && verbs.includes('create'));
    },
    /** Checks all definitions until `signal` is aborted. Calls `onChange` with each kind whose definition has changed. */
    async watch(onChange: (kind: string) => void, signal: AbortSignal) {
      const known = new Map<string, string>();
      while (!signal.aborted) {
        for (const kind of plurals.keys()) {
          const found = await read(kind).then(textOf, (error) => {
            if (!(error instanceof DefinitionReplaced))
              log.info({ kind, why: sentenceOf(error) }, 'could not read a definition');
            return error instanceof DefinitionReplaced ? 'replaced' : known.get(kind);
          });
          if (found !== known.get(kind) && known.has(kind)) onChange(kind);
          if (found !== undefined) known.set(kind, found);
        }
        await pause(mayRead ? lookMs : lookAtPublishedMs, signal);
      }
    },
  };
}

const textOf = ({ lacking, statusLacking }: Gap) => JSON.stringify([lacking, statusLacking]);

/** Reads this release's definition. */
function readOwn(plural: string): Definition {
  const file = new URL(`../charts/sandpost/files/crds/${nameOfDefinition(plural)}.yaml`, import.meta.url);
  // The library's own reader renames schema properties such as `default`.
  return load(readFileSync(file, 'utf8')) as Definition;
}

/**
 * Returns a kind's schema from the OpenAPI document, or null if it is missing. Every account may read this document, which follows
 * changes of the definition with a delay.
 */
async function publishedSchema({ get }: Pick<ApiClient, 'get'>, kind: string): Promise<Schema | null> {
  type Published = Schema & { 'x-kubernetes-group-version-kind'?: { kind: string }[] };
  try {
    const { components } = await get<{ components?: { schemas?: Record<string, Published> } }>(
      `/openapi/v3/apis/${group}/${version}`,
    );
    const schemas = Object.values(components?.schemas ?? {});
    return schemas.find((schema) => schema['x-kubernetes-group-version-kind']?.[0]?.kind === kind) ?? null;
  } catch (error) {
    if (isRefusedOrGone(error)) return null;
    throw error;
  }
}

/**
 * Combines calls with the same name: calls that wait for a running call share the next one. The work for a call always begins after the
 * call.
 */
function sharedBy<T>(call: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const running = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, Promise<T>>();
  return (name) => {
    const known = waiting.get(name);
    if (known !== undefined) return known;
    const before = running.get(name) ?? Promise.resolve();
    const next = before
      .catch(() => {})
      .then(() => {
        waiting.delete(name);
        return call(name);
      });
    waiting.set(name, next);
    running.set(name, next);
    return next;
  };
}
