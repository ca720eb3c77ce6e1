import type { ApiGroup } from './runtime/resource-api.ts';

/** API group of our resources; `crds/` defines their schemas. */
export const apiGroup: ApiGroup = {
  group: 'sandpost.dev',
  version: 'v1alpha1',
  /** Keeps a deleted resource until its objects in the store are deleted. */
  finalizer: 'sandpost.dev/finalizer',
  fieldManager: 'sandpost-operator',
};

/** Name of the definition (CRD) of a kind, which is named by its plural. */
export const nameOfDefinition = (plural: string) => `${plural}.${apiGroup.group}`;
