import { loadAll } from 'js-yaml';
import type { Json } from './kubectl.ts';

/** Parses manifests into objects. Lists become their items. */
export const parse = (yaml: string): Json[] =>
  loadAll(yaml).flatMap((item: Json) => item?.items ?? item ?? []);

/** Returns the pods that workloads would create. */
export function podsOf(manifests: Json[]): Json[] {
  return manifests
    .filter(({ spec }) => spec?.template?.spec?.containers)
    .map(({ kind, metadata, spec }) => {
      const { volumeClaimTemplates = [], template } = spec;
      const claims = volumeClaimTemplates.map(({ metadata: { name } }: Json) => ({
        name,
        persistentVolumeClaim: { claimName: name },
      }));
      return {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `${kind.toLowerCase()}-${metadata.name}`, labels: template.metadata.labels },
        spec: { ...template.spec, volumes: [...template.spec.volumes, ...claims] },
      };
    });
}

/** Builds a definition without a schema, in place of another project's definition. */
export function anyResource(group: string, version: string, kind: string, plural: string): Json {
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
    },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: anything } }],
    },
  };
}
