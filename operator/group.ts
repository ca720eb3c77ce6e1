import type { ApiGroup } from './runtime/resource-api.ts';

/** API group of our resources, whose schemas are in `crds/`. */
export const apiGroup: ApiGroup = {
  group: 'sandpost.dev',
  version: 'v1alpha1',
  /** Finalizer that keeps a deleted resource until its objects in the store have been deleted. */
  finalizer: 'sandpost.dev/finalizer',
  fieldManager: 'sandpost-operator',
};

/** Name of a kind's definition (CRD), which contains its plural. */
export const nameOfDefinition = (plural: string) => `${plural}.${apiGroup.group}`;
